/* The floor of the scene "woodpecker": a program for just this scene, and nothing else.
 *
 *     woodpecker batches steps dt every anew
 *
 * Three coordinates (height, tilt of the sleeve, angle of the bird), constant masses and contact rows.
 * One step of Moreau's midpoint rule: gaps at the middle, a single contact in closed form, several by
 * Gauss-Seidel to rounding. With anew = 1 every step makes mass matrix, inverse, rows and the matrix of the
 * contacts itself, as a program must that does not know them to be constant; with 0 once and for all. Prints the seconds of a step for every batch, then the coordinates after
 * every `every` steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double m_M = 0.0003, J_M = 5.0e-9, m_S = 0.0045, J_S = 7.0e-7, c_phi = 0.0056, g = 9.81;
static const double r_0 = 0.0025, r_M = 0.0031, h_M = 0.0058, l_M = 0.010, l_G = 0.015, h_S = 0.02;
static const double l_S = 0.0201, mu = 0.3;
static double I[3][3], wN[3][3], wT[3][3], zN[3][3], zT[3][3], G[3][3][4], gap[3], eps[3] = {0.5, 0, 0};
static double q[3], u[3];
static int anew;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static __attribute__((noinline)) void prepare(void) {
    double a = m_M + m_S, b = m_S * l_M, c = m_S * l_G, d = J_M + m_S * l_M * l_M, e = m_S * l_M * l_G;
    double f = J_S + m_S * l_G * l_G;
    double det = a * (d * f - e * e) - b * (b * f - e * c) + c * (b * e - d * c);
    double A[3][3] = {{d * f - e * e, c * e - b * f, b * e - c * d},
                      {c * e - b * f, a * f - c * c, b * c - a * e},
                      {b * e - c * d, b * c - a * e, a * d - b * b}};
    for (int i = 0; i < 9; i++) I[i / 3][i % 3] = A[i / 3][i % 3] / det;
    wN[0][2] = -h_S; wN[1][1] = h_M; wN[2][1] = -h_M;
    wT[0][0] = 1; wT[0][1] = l_M; wT[0][2] = l_G - l_S;
    wT[1][0] = wT[2][0] = 1; wT[1][1] = wT[2][1] = r_M;
    gap[0] = l_M + l_G - l_S - r_0; gap[1] = gap[2] = r_M - r_0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) { zN[k][i] = dot(I[i], wN[k]); zT[k][i] = dot(I[i], wT[k]); }
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) {
            G[k][j][0] = dot(wN[k], zN[j]); G[k][j][1] = dot(wN[k], zT[j]);
            G[k][j][2] = dot(wT[k], zN[j]); G[k][j][3] = dot(wT[k], zT[j]);
        }
}

/* the law of contact k with free velocities cN, cT: slip against the motion, stick, or open */
static void solve(int k, double cN, double cT, double *x) {
    const double *A = G[k][k];
    x[0] = x[1] = 0;
    if (cN >= 0) return;
    double s = cT > 0 ? -mu : mu, load = -cN / (A[0] + A[1] * s);
    if (cT * (cT + (A[2] + A[3] * s) * load) >= 0) { x[0] = load; x[1] = s * load; return; }
    double D = A[0] * A[3] - A[1] * A[2];
    x[0] = (A[1] * cT - A[3] * cN) / D; x[1] = (A[2] * cN - A[0] * cT) / D;
    if (fabs(x[1]) <= mu * x[0]) return;
    x[0] = -cN / (A[0] - A[1] * s); x[1] = -s * x[0];
}

static void step(double dt) {
    int active[3], n = 0;
    if (anew) prepare();
    double p[3], v[3], h[3], cN[3], cT[3], x[3][2] = {{0}};
    for (int i = 0; i < 3; i++) p[i] = q[i] + 0.5 * dt * u[i];
    double spring = c_phi * (p[1] - p[2]);
    h[0] = -(m_M + m_S) * g; h[1] = -m_S * g * l_M - spring; h[2] = -m_S * g * l_G + spring;
    for (int i = 0; i < 3; i++) v[i] = u[i] + dt * dot(I[i], h);
    for (int k = 0; k < 3; k++)
        if (gap[k] + dot(wN[k], p) <= 0) {
            cN[n] = dot(wN[k], v) + eps[k] * dot(wN[k], u);
            cT[n] = dot(wT[k], v);
            active[n++] = k;
        }
    if (n == 1) solve(active[0], cN[0], cT[0], x[0]);
    else if (n > 1)
        for (int sweep = 0; sweep < 1000; sweep++) {
            double change = 0;
            for (int a = 0; a < n; a++) {
                double N = cN[a], T = cT[a], old[2] = {x[a][0], x[a][1]};
                for (int b = 0; b < n; b++)
                    if (b != a) {
                        const double *A = G[active[a]][active[b]];
                        N += A[0] * x[b][0] + A[1] * x[b][1]; T += A[2] * x[b][0] + A[3] * x[b][1];
                    }
                solve(active[a], N, T, x[a]);
                change += fabs(x[a][0] - old[0]) + fabs(x[a][1] - old[1]);
            }
            if (change < 1e-18) break;
        }
    for (int a = 0; a < n; a++)
        for (int i = 0; i < 3; i++) v[i] += zN[active[a]][i] * x[a][0] + zT[active[a]][i] * x[a][1];
    for (int i = 0; i < 3; i++) { u[i] = v[i]; q[i] = p[i] + 0.5 * dt * v[i]; }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void reset(void) {
    q[0] = 0; q[1] = -0.1036; q[2] = -0.2788;
    u[0] = -0.3411; u[1] = 0; u[2] = -7.4583;
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    int batches = atoi(argv[1]), steps = atoi(argv[2]), every = atoi(argv[4]);
    anew = atoi(argv[5]);
    double dt = atof(argv[3]);
    prepare();
    for (int k = 0; k < batches; k++) {
        reset();
        double began = now();
        for (int s = 0; s < steps; s++) step(dt);
        printf("%.6e\n", (now() - began) / steps);
    }
    reset();
    for (int s = 1; s <= steps; s++) {
        step(dt);
        if (s % every == 0) printf("%.17g %.17g %.17g\n", q[0], q[1], q[2]);
    }
    return 0;
}
