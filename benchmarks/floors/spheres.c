/* The floor of the scene "spheres": a program for just this scene, and nothing else.
 *
 *     spheres N settle batches steps sweeps places.bin
 *
 * N equal balls in a box, dt = 2 ms, mu = 0.3, Gauss-Seidel sweeps in the order in which a grid finds
 * the pairs, impulses kept from step to step. Prints the seconds of a step for every batch, then the
 * number of contacts and the deepest penetration in radii. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define R 0.05
#define DT 2e-3
#define MU 0.3
#define GRAVITY 9.81

typedef struct { int i, j; double n[3], bias, p[4]; } Pair;
typedef struct { double v[3], s[3]; } Ball;

static int N, sweeps, count, before;
static double half, (*x)[3], mass;
static Ball *ball;
static Pair *pair, *old;
static int *start, *old_start, *cell, *cell_start, *member;
static const double PLANE[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};

static void add(int i, int j, double g, double a, double b, double c) {
    Pair *q = &pair[count++];
    q->i = i; q->j = j;
    q->n[0] = a; q->n[1] = b; q->n[2] = c;
    q->bias = g / DT > -1.0 ? g / DT : -1.0;
    memset(q->p, 0, sizeof q->p);
    for (int k = old_start[i]; k < old_start[i + 1]; k++)
        if (old[k].j == j) { memcpy(q->p, old[k].p, sizeof q->p); break; }
}

static void find_pairs(void) {
    double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9}, fast = 0;
    for (int i = 0; i < N; i++) {
        double u = 0;
        for (int a = 0; a < 3; a++) {
            if (x[i][a] < low[a]) low[a] = x[i][a];
            if (x[i][a] > high[a]) high[a] = x[i][a];
            u += ball[i].v[a] * ball[i].v[a];
        }
        if (u > fast) fast = u;
    }
    double w = 2.02 * R + 2 * DT * sqrt(fast);
    int n[3];
    for (int a = 0; a < 3; a++) n[a] = (int)((high[a] - low[a]) * 1.0000001 / w) + 1;
    int cells = n[0] * n[1] * n[2];
    cell_start = realloc(cell_start, (cells + 2) * sizeof(int));
    memset(cell_start, 0, (cells + 2) * sizeof(int));
    for (int i = 0; i < N; i++) {
        int a = (x[i][0] - low[0]) / w, b = (x[i][1] - low[1]) / w, c = (x[i][2] - low[2]) / w;
        cell[i] = (c * n[1] + b) * n[0] + a;
        cell_start[cell[i] + 2]++;
    }
    for (int k = 0; k < cells; k++) cell_start[k + 2] += cell_start[k + 1];
    for (int i = 0; i < N; i++) member[cell_start[cell[i] + 1]++] = i;
    Pair *p = old; old = pair; pair = p;
    int *q = old_start; old_start = start; start = q;
    before = count; count = 0;
    for (int i = 0; i < N; i++) {
        start[i] = count;
        int a = cell[i] % n[0], b = cell[i] / n[0] % n[1], c = cell[i] / (n[0] * n[1]);
        int la = a > 0 ? a - 1 : 0, ha = a + 1 < n[0] ? a + 1 : a;
        for (int z = c > 0 ? c - 1 : 0; z <= (c + 1 < n[2] ? c + 1 : c); z++)
            for (int y = b > 0 ? b - 1 : 0; y <= (b + 1 < n[1] ? b + 1 : b); y++) {
                int row = (z * n[1] + y) * n[0];
                for (int k = cell_start[row + la]; k < cell_start[row + ha + 1]; k++) {
                    int j = member[k];
                    if (j <= i) continue;
                    double d[3], s = 0, in = 0;
                    for (int e = 0; e < 3; e++) {
                        d[e] = x[i][e] - x[j][e];
                        s += d[e] * d[e];
                        in -= d[e] * (ball[i].v[e] - ball[j].v[e]);
                    }
                    if (s > 2.02 * R * 2.02 * R && in <= 0) continue;
                    double l = sqrt(s), g = l - 2 * R;
                    if (g > 0.02 * R && g * l > in * DT) continue;
                    add(i, j, g, d[0] / l, d[1] / l, d[2] / l);
                }
            }
        for (int k = 0; k < 5; k++) {
            const double *m = PLANE[k];
            double g = m[0] * x[i][0] + m[1] * x[i][1] + m[2] * x[i][2] + (k ? half : 0) - R;
            double u = m[0] * ball[i].v[0] + m[1] * ball[i].v[1] + m[2] * ball[i].v[2];
            if (g <= 0.02 * R || g + DT * u <= 0) add(i, N + k, g, m[0], m[1], m[2]);
        }
    }
    start[N] = count;
}

static inline void apply(Pair *q, double dn, double a, double b, double c) {
    double f = 1 / mass, *n = q->n;
    double P[3] = {dn * n[0] + a, dn * n[1] + b, dn * n[2] + c};
    double Q[3] = {2.5 * (n[1] * c - n[2] * b), 2.5 * (n[2] * a - n[0] * c), 2.5 * (n[0] * b - n[1] * a)};
    Ball *A = &ball[q->i], *B = &ball[q->j];
    for (int e = 0; e < 3; e++) { A->v[e] += f * P[e]; A->s[e] -= f * Q[e]; }
    if (q->j < N)
        for (int e = 0; e < 3; e++) { B->v[e] -= f * P[e]; B->s[e] -= f * Q[e]; }
}

static inline void solve(Pair *q) {
    Ball *A = &ball[q->i], *B = &ball[q->j];
    double *n = q->n, s[3], g[3], t[3];
    for (int e = 0; e < 3; e++) s[e] = A->s[e] + B->s[e];
    g[0] = A->v[0] - B->v[0] - (s[1] * n[2] - s[2] * n[1]);
    g[1] = A->v[1] - B->v[1] - (s[2] * n[0] - s[0] * n[2]);
    g[2] = A->v[2] - B->v[2] - (s[0] * n[1] - s[1] * n[0]);
    double gn = n[0] * g[0] + n[1] * g[1] + n[2] * g[2];
    double m = q->j < N ? 0.5 * mass : mass, mt = m / 3.5;
    double normal = q->p[0] - (gn + q->bias) * m;
    if (normal < 0) normal = 0;
    double size = 0, limit = MU * normal;
    for (int e = 0; e < 3; e++) {
        t[e] = q->p[e + 1] - (g[e] - gn * n[e]) * mt;
        size += t[e] * t[e];
    }
    if (size > limit * limit) {
        double f = limit / sqrt(size);
        for (int e = 0; e < 3; e++) t[e] *= f;
    }
    double dn = normal - q->p[0], a = t[0] - q->p[1], b = t[1] - q->p[2], c = t[2] - q->p[3];
    q->p[0] = normal; q->p[1] = t[0]; q->p[2] = t[1]; q->p[3] = t[2];
    apply(q, dn, a, b, c);
}

static void step(void) {
    for (int i = 0; i < N; i++) ball[i].v[2] -= DT * GRAVITY;
    find_pairs();
    for (int k = 0; k < count; k++) {
        Pair *q = &pair[k];
        double along = q->n[0] * q->p[1] + q->n[1] * q->p[2] + q->n[2] * q->p[3];
        for (int e = 0; e < 3; e++) q->p[e + 1] -= along * q->n[e];
        apply(q, q->p[0], q->p[1], q->p[2], q->p[3]);
    }
    for (int s = 0; s < sweeps; s++)
        for (int k = 0; k < count; k++) solve(&pair[k]);
    for (int i = 0; i < N; i++)
        for (int e = 0; e < 3; e++) x[i][e] += DT * ball[i].v[e];
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 7) return 2;
    N = atoi(argv[1]);
    int settle = atoi(argv[2]), batches = atoi(argv[3]), steps = atoi(argv[4]);
    sweeps = atoi(argv[5]);
    FILE *f = fopen(argv[6], "rb");
    x = malloc(N * sizeof *x);
    if (!f || fread(&half, sizeof half, 1, f) != 1 || fread(x, sizeof *x, N, f) != (size_t)N) return 2;
    fclose(f);
    mass = 2500 * 4.0 / 3.0 * M_PI * R * R * R;
    ball = calloc(N + 5, sizeof *ball);
    pair = calloc(16 * N, sizeof *pair); old = calloc(16 * N, sizeof *old);
    start = calloc(N + 1, sizeof(int)); old_start = calloc(N + 1, sizeof(int));
    cell = calloc(N, sizeof(int)); member = calloc(N, sizeof(int));
    for (int k = 0; k < settle; k++) step();
    double deepest = 0;
    for (int b = 0; b < batches; b++) {
        double t = now();
        for (int k = 0; k < steps; k++) step();
        printf("%.9g\n", (now() - t) / steps);
        for (int k = 0; k < count; k++)
            if (-pair[k].bias * DT > deepest) deepest = -pair[k].bias * DT;
    }
    printf("contacts %d penetration %.9g\n", count, deepest / R);
    return 0;
}
