/* The floor of the scene "chain": a program for just this scene, and nothing else.
 *
 *     chain n batches steps dt
 *
 * n equal links hang one on the other in the plane by revolute joints. One step of semi-implicit Euler:
 * articulated inertias in O(n), written for this joint (after the reduction only the 2 x 2 block of the
 * translation is left), then u += dt u_dot, q += dt u. Every batch starts from the same state. Prints the
 * seconds of a step for every batch, then the angles at the end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LENGTH 0.2
#define MASS 0.5
#define COM 0.1
#define INERTIA (MASS * LENGTH * LENGTH / 3.0) /* about the joint */
#define GRAVITY 9.81

typedef struct { double c, s, w2, U, V, D, tau, dx, dy, zx, zy; } Link;

static int n;
static double *q, *u;
static Link *link;

static void step(double dt) {
    double angle = 0, omega = 0, dx = 0, dy = 0, zx = 0, zy = 0;
    for (int i = 0; i < n; i++) {
        Link *b = &link[i];
        /* from the joint before to this one, and its centripetal acceleration */
        b->dx = dx; b->dy = dy; b->zx = zx; b->zy = zy;
        angle += q[i]; omega += u[i];
        b->c = cos(angle); b->s = sin(angle); b->w2 = omega * omega;
        dx = LENGTH * b->c; dy = LENGTH * b->s;
        zx = -b->w2 * dx; zy = -b->w2 * dy;
    }
    /* what the links below add: inertia (xx, xy, yy, hx, hy, J) and bias (px, py, pm) at the joint */
    double xx = 0, xy = 0, yy = 0, hx = 0, hy = 0, J = 0, px = 0, py = 0, pm = 0;
    for (int i = n - 1; i >= 0; i--) {
        Link *b = &link[i];
        double mx = MASS * COM * b->c, my = MASS * COM * b->s;
        xx += MASS; yy += MASS; hx -= my; hy += mx; J += INERTIA;
        px -= b->w2 * mx; py += MASS * GRAVITY - b->w2 * my; pm += mx * GRAVITY;
        double D = 1.0 / J, U = hx, V = hy, tau = -pm, f = D * tau;
        b->U = U; b->V = V; b->D = D; b->tau = tau;
        xx -= U * U * D; xy -= U * V * D; yy -= V * V * D;
        px += xx * b->zx + xy * b->zy + U * f;
        py += xy * b->zx + yy * b->zy + V * f;
        /* seen from the joint before */
        double x = b->dx, y = b->dy;
        hx = xy * x - xx * y; hy = yy * x - xy * y;
        J = x * hy - y * hx;
        pm = x * py - y * px;
    }
    double ax = 0, ay = 0, alpha = 0;
    for (int i = 0; i < n; i++) {
        Link *b = &link[i];
        ax += b->zx - alpha * b->dy; ay += b->zy + alpha * b->dx;
        /* the angles are relative: what the links before do is taken off */
        double total = b->D * (b->tau - b->U * ax - b->V * ay);
        u[i] += dt * (total - alpha);
        alpha = total;
        q[i] += dt * u[i];
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    n = atoi(argv[1]);
    int batches = atoi(argv[2]), steps = atoi(argv[3]);
    double dt = atof(argv[4]);
    q = malloc(n * sizeof *q); u = malloc(n * sizeof *u); link = malloc(n * sizeof *link);
    for (int k = 0; k < batches; k++) {
        for (int i = 0; i < n; i++) { q[i] = i ? (i % 2 ? -0.05 : 0.05) : 0.3; u[i] = 0; }
        double began = now();
        for (int s = 0; s < steps; s++) step(dt);
        printf("%.6e\n", (now() - began) / steps);
    }
    for (int i = 0; i < n; i++) printf("%.17g ", q[i]);
    printf("\n");
    return 0;
}
