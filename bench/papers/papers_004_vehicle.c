// Reproduces Tables 25-30 and Figures 19 and 21-25 of D. Negrut, On the implicit integration of
// differential-algebraic equations of multibody dynamics, thesis, University of Iowa, 1998, sections 5.2 and
// 5.3: the five implicit methods on the 14-body vehicle over a bump, tolerances 1e-2 .. 1e-5, 1 to 4 s; exact
// derivatives compared with differences. models/hmmwv.yaml has the bodies, joints, bushings, tyres and road
// of the thesis, but other hard points and inertias (docs/vehicle.md). Thesis: CPU seconds of an SGI Onyx
// with R10000 processors. Ours: CPU time of one thread, the mean of some runs, from the assembled start to
// the end, one output row. Joint coordinates (kinematics: joints) unless stated otherwise. usage:
// papers_004_vehicle [--out DIR], from the top of the tree. Takes a minute.
#include "paper_run.h"

enum { METHODS = 5, TOLS = 4, LENGTHS = 4 };

static const double TOL[TOLS] = {1e-2, 1e-3, 1e-4, 1e-5};

typedef struct published {
    const char *method, *name;
    int table;
    double seconds[LENGTHS][TOLS];
} published;

static const published THESIS[METHODS] = {
    {"ssp-trap",
     "SspTrap",
     25,
     {{42, 54, 122, 312}, {79, 140, 330, 849}, {92, 168, 400, 1053}, {98, 179, 424, 1095}}},
    {"infl-sdirk",
     "InflSDIRK",
     26,
     {{33, 52, 90, 170}, {69, 124, 218, 433}, {81, 150, 248, 493}, {84, 155, 256, 500}}},
    {"infl-trap",
     "InflTrap",
     27,
     {{42, 61, 158, 463}, {79, 155, 420, 1198}, {92, 189, 524, 1521}, {100, 206, 552, 1568}}},
    {"for-sdirk",
     "ForSDIRK",
     28,
     {{10.1, 21, 33, 57}, {25.3, 49, 78, 139}, {29.5, 58, 92, 166}, {30, 61, 94, 184}}},
    {"for-rosen",
     "ForRosen",
     29,
     {{5.6, 13.2, 40.7, 172}, {12.6, 32.6, 95, 405}, {13, 36.3, 105, 422}, {13.3, 37, 106, 428}}}};

// Table 30: for-sdirk at 1e-3.
static const double TABLE30[2][LENGTHS] = {{21, 49, 58, 61}, {104, 229, 269, 278}};

typedef struct results {
    paper_cost cost[METHODS][LENGTHS][TOLS];
    paper_cost bodies[METHODS];          // 4 s at 1e-3 in the bodies' own coordinates
    tml_errors error[METHODS][TOLS];     // 4 s
    double turn[METHODS][TOLS];          // largest error of an orientation at the ends of the steps [rad]
    paper_cost jacobian[2][2][LENGTHS];  // joints, bodies; exact, differences; for-sdirk at 1e-3
} results;

// ---- runs -------------------------------------------------------------------------------------------------

static bool calc(paper *p, const tml_model *model, results *r)
{
    bool good = true;
    for (int m = 0; m < METHODS; m++) {
        for (int e = 0; e < LENGTHS; e++)
            for (int i = 0; i < TOLS; i++) {
                const paper_case c = {.method = THESIS[m].method,
                                      .tol = TOL[i],
                                      .end = e + 1,
                                      .kinematics = TML_KINEMATICS_JOINTS};
                good = paper_time(p, model, &c, &r->cost[m][e][i]) && good;
            }
        const paper_case c = {
            .method = THESIS[m].method, .tol = 1e-3, .end = 4, .kinematics = TML_KINEMATICS_BODIES};
        good = paper_time(p, model, &c, &r->bodies[m]) && good;
    }
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++)
            for (int e = 0; e < LENGTHS; e++) {
                const paper_case c = {.method = "for-sdirk",
                                      .tol = 1e-3,
                                      .end = e + 1,
                                      .kinematics = k ? TML_KINEMATICS_BODIES : TML_KINEMATICS_JOINTS,
                                      .jacobian = j ? TML_JACOBIAN_DIFFERENCES : TML_JACOBIAN_EXACT};
                good = paper_time(p, model, &c, &r->jacobian[k][j][e]) && good;
            }
    return good;
}

static bool calc_errors(paper *p, const tml_model *model, results *r)
{
    const char *methods[METHODS];
    for (int m = 0; m < METHODS; m++) methods[m] = THESIS[m].method;
    return paper_errors(p, model, TML_KINEMATICS_JOINTS, methods, METHODS, TOL, TOLS, 1e-8, r->error[0]);
}

// Largest angle between the orientations of any body in two states [rad].
static double turn_between(const tml_state *x, const tml_state *y)
{
    double worst = 0;
    for (int b = 0; b + 7 <= x->nq; b += 7) {  // a body: position, unit quaternion
        double minus = 0, plus = 0;
        for (int k = b + 3; k < b + 7; k++) {
            minus += (x->q[k] - y->q[k]) * (x->q[k] - y->q[k]);
            plus += (x->q[k] + y->q[k]) * (x->q[k] + y->q[k]);
        }
        worst = fmax(worst, 2 * sqrt(fmin(minus, plus)));
    }
    return worst;
}

// Orientations at the ends of a method's steps, where nothing is interpolated, against radau5 led to the same
// times.
static bool calc_turn(paper *p, const tml_model *model, const char *method, double tol, double *worst)
{
    tml_error err = {0};
    tml_sim *sim = NULL, *reference = NULL;
    const paper_case c = {.method = method, .tol = tol, .end = 4, .kinematics = TML_KINEMATICS_JOINTS};
    const paper_case better = {
        .method = "radau5", .tol = 1e-7, .end = 4, .kinematics = TML_KINEMATICS_JOINTS};
    const tml_run_def run = paper_run_def(model, &c), with = paper_run_def(model, &better);
    tml_status st = tml_sim_create(model, &run, &sim, &err);
    if (st == TML_OK) st = tml_sim_create(model, &with, &reference, &err);
    *worst = 0;
    while (st == TML_OK && tml_sim_time(sim) < c.end) {
        st = tml_sim_step(sim, c.end, &err);
        if (st == TML_OK) st = tml_sim_run(reference, tml_sim_time(sim), &err);
        if (st == TML_OK) *worst = fmax(*worst, turn_between(tml_sim_state(sim), tml_sim_state(reference)));
    }
    if (st != TML_OK) paper_fail(p, method, err.msg);
    tml_sim_destroy(sim);
    tml_sim_destroy(reference);
    return st == TML_OK;
}

// The methods of order 4 only: the others have too many steps to lead a reference to each.
static bool calc_turns(paper *p, const tml_model *model, results *r)
{
    bool good = true;
    for (int m = 0; m < METHODS; m++)
        for (int i = 0; i < TOLS; i++) {
            r->turn[m][i] = (double)NAN;
            if (strstr(THESIS[m].method, "trap") == NULL)
                good = calc_turn(p, model, THESIS[m].method, TOL[i], &r->turn[m][i]) && good;
        }
    return good;
}

// ---- tables -----------------------------------------------------------------------------------------------

static void print_times(const results *r)
{
    char part[16];
    for (int m = 0; m < METHODS; m++) {
        snprintf(part, sizeof part, "table%d", THESIS[m].table);
        paper_part(part, "exact time", NULL);
        paper_laws_in("laws");
        printf("Table %d, %s / `%s`:\n\n| | 1e-2 | 1e-3 | 1e-4 | 1e-5 "
               "|\n|---|---|---|---|---|\n",
               THESIS[m].table, THESIS[m].name, THESIS[m].method);
        for (int e = 0; e < LENGTHS; e++) {
            printf("| %d s ", e + 1);
            for (int i = 0; i < TOLS; i++)
                printf("| %g / %.3g ", THESIS[m].seconds[e][i], 1e3 * r->cost[m][e][i].seconds);
            puts("|");
        }
        puts("");
    }
}

static void print_work(paper *p, const results *r)
{
    paper_part("work", "exact exact steps few steps steps near time size size", NULL);
    paper_laws_in("laws");
    puts("| method | tol | steps | rejected | iterations | accelerations | factorizations | time [ms] | "
         "position "
         "error / tol | velocity error / tol |");
    puts("|---|---|---|---|---|---|---|---|---|---|");
    for (int m = 0; m < METHODS; m++)
        for (int i = 0; i < TOLS; i++) {
            const paper_cost *c = &r->cost[m][LENGTHS - 1][i];
            printf("| `%s` | %.0e | %ld | %ld | %ld | %ld | %ld | %.1f | %.3f | %.2f |\n", THESIS[m].method,
                   TOL[i], c->steps, c->rejected, c->iterations, c->evaluations, c->factorizations,
                   1e3 * c->seconds, r->error[m][i].position / TOL[i], r->error[m][i].velocity / TOL[i]);
        }
    double turn = 0, more = 1;
    paper_part("orientations", "exact size", NULL);
    puts("| method | 1e-2 | 1e-3 | 1e-4 | 1e-5 |\n|---|---|---|---|---|");
    for (int m = 0; m < METHODS; m++) {
        if (isnan(r->turn[m][0])) continue;
        printf("| `%s` ", THESIS[m].method);
        for (int i = 0; i < TOLS; i++) {
            printf("| %.3f ", r->turn[m][i] / TOL[i]);
            if (!(r->turn[m][i] / TOL[i] <= turn)) turn = r->turn[m][i] / TOL[i];
        }
        puts("|");
    }
    paper_within(p, "largest error of an orientation over the tolerance", turn, 0, 1);
    paper_part("coordinates", "exact steps steps time steps steps time time", NULL);
    puts("| method | joints: steps | accelerations | time [ms] | bodies: steps | accelerations | time [ms] | "
         "ratio |");
    puts("|---|---|---|---|---|---|---|---|");
    for (int m = 0; m < METHODS; m++) {
        const paper_cost *a = &r->cost[m][LENGTHS - 1][1], *b = &r->bodies[m];
        printf("| `%s` | %ld | %ld | %.1f | %ld | %ld | %.1f | %.2f |\n", THESIS[m].method, a->steps,
               a->evaluations, 1e3 * a->seconds, b->steps, b->evaluations, 1e3 * b->seconds,
               b->seconds / a->seconds);
        const double ratio = (double)a->steps / (double)b->steps;
        more = fmax(more, fmax(ratio, 1 / ratio));
    }
    paper_within(p, "steps in joint coordinates over those in those of the bodies, or reverse, most", more, 1,
                 1.2);
    puts("");
}

static void print_jacobians(const results *r)
{
    static const char *const row[2] = {"exact", "differences"};
    paper_part("table30", "exact time time time time steps", NULL);
    paper_laws_in("laws");
    puts("| derivatives | 1 s | 2 s | 3 s | 4 s | accelerations, 4 s, joints |\n|---|---|---|---|---|---|");
    for (int j = 0; j < 2; j++) {
        printf("| %s ", row[j]);
        for (int e = 0; e < LENGTHS; e++)
            printf("| %g / %.1f / %.1f ", TABLE30[j][e], 1e3 * r->jacobian[0][j][e].seconds,
                   1e3 * r->jacobian[1][j][e].seconds);
        printf("| %ld |\n", r->jacobian[0][j][LENGTHS - 1].evaluations);
    }
    printf("| ratio ");
    for (int e = 0; e < LENGTHS; e++) {
        printf("| %.1f ", TABLE30[1][e] / TABLE30[0][e]);
        for (int k = 0; k < 2; k++)
            printf("/ %.2f ", r->jacobian[k][1][e].seconds / r->jacobian[k][0][e].seconds);
    }
    puts("| |\n");
}

static void print_key(const results *r)
{
    int best = 0;
    for (int m = 1; m < METHODS; m++)
        if (r->cost[m][3][1].seconds < r->cost[best][3][1].seconds) best = m;
    const double seconds = r->cost[best][3][1].seconds;
    paper_part("key", "exact exact exact steps", NULL);
    paper_laws_in("laws");
    puts("| | thesis | wanted | ours |\n|---|---|---|---|");
    printf("| steps of `for-rosen` over those of `for-sdirk`, 1e-5, 1 s | 2211/308 = 7.2 | 2 | %ld/%ld = "
           "%.2f |\n",
           r->cost[4][0][3].steps, r->cost[3][0][3].steps,
           (double)r->cost[4][0][3].steps / (double)r->cost[3][0][3].steps);
    printf("| the same, 4 s | | 2 | %ld/%ld = %.2f |\n", r->cost[4][3][3].steps, r->cost[3][3][3].steps,
           (double)r->cost[4][3][3].steps / (double)r->cost[3][3][3].steps);
    paper_part("fastest", "exact exact exact time", NULL);
    paper_no_law("times");
    puts("| | thesis | wanted | ours |\n|---|---|---|---|");
    printf("| fastest at 1e-3, 4 s | ForRosen, 37 s: 9 times real time | 1/20 | `%s`, %.1f ms: 1/%.0f of "
           "real time |\n\n",
           THESIS[best].method, 1e3 * seconds, 4 / seconds);
}

// Steps follow the order of the methods, errors stay below the tolerance, and the filtered estimate is not
// conservative.
static void print_laws(paper *p, const results *r)
{
    char what[128];
    double position = 0, velocity = 0;
    paper_part("laws", "exact near exact exact", NULL);
    puts("| law | measured | claimed | met |\n|---|---|---|---|");
    for (int m = 0; m < METHODS; m++) {
        const double power = strstr(THESIS[m].method, "trap") ? 2 : 4;
        double steps[TOLS];
        for (int i = 0; i < TOLS; i++) {
            steps[i] = (double)r->cost[m][LENGTHS - 1][i].steps;
            position = fmax(position, r->error[m][i].position / TOL[i]);
            velocity = fmax(velocity, r->error[m][i].velocity / TOL[i]);
        }
        snprintf(what, sizeof what, "`%s`: steps by the tolerance to the power of", THESIS[m].method);
        paper_check(p, what, paper_fit(TOLS, TOL, steps), -1 / power - 0.05, -1 / power + 0.05);
    }
    for (int m = 0; m < METHODS; m++) {  // behind the bump steps become long, Figure 22
        double most = 0;
        for (int i = 0; i < TOLS; i++)
            most = fmax(most, (double)r->cost[m][3][i].steps / (double)r->cost[m][1][i].steps);
        snprintf(what, sizeof what, "`%s`: steps of 4 s over those of 2 s, most", THESIS[m].method);
        paper_check(p, what, most, 1, 1.7);
    }
    paper_check(p, "largest error of a position over the tolerance", position, 0, 1);
    paper_check(p, "largest error of a velocity over the tolerance", velocity, 0, 1);
    for (int e = 0; e < LENGTHS; e += LENGTHS - 1) {
        snprintf(what, sizeof what, "steps of `for-rosen` over those of `for-sdirk`, 1e-5, %d s", e + 1);
        paper_check(p, what, (double)r->cost[4][e][3].steps / (double)r->cost[3][e][3].steps, 1, 3);
    }
    for (int k = 0; k < 2; k++) {
        snprintf(what, sizeof what, "accelerations with differences over those with exact derivatives, %s",
                 k ? "bodies" : "joints");
        paper_check(p, what,
                    (double)r->jacobian[k][1][LENGTHS - 1].evaluations /
                        (double)r->jacobian[k][0][LENGTHS - 1].evaluations,
                    1, 5);
    }
}

static void write_csv(paper *p, const results *r)
{
    FILE *f = paper_open(p, "004_vehicle.csv");
    if (!f) return;
    fprintf(
        f,
        "table,method,kinematics,derivatives,tol,end,steps,rejected,iterations,accelerations,factorizations,"
        "cpu_seconds,thesis_seconds,position_error,velocity_error\n");
    for (int m = 0; m < METHODS; m++)
        for (int e = 0; e < LENGTHS; e++)
            for (int i = 0; i < TOLS; i++) {
                const paper_cost *c = &r->cost[m][e][i];
                fprintf(f, "%d,%s,joints,exact,%g,%d,%ld,%ld,%ld,%ld,%ld,%.4g,%g", THESIS[m].table,
                        THESIS[m].method, TOL[i], e + 1, c->steps, c->rejected, c->iterations, c->evaluations,
                        c->factorizations, c->seconds, THESIS[m].seconds[e][i]);
                if (e == LENGTHS - 1)
                    fprintf(f, ",%.4g,%.4g\n", r->error[m][i].position, r->error[m][i].velocity);
                else fputs(",,\n", f);
            }
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++)
            for (int e = 0; e < LENGTHS; e++) {
                const paper_cost *c = &r->jacobian[k][j][e];
                fprintf(f, "30,for-sdirk,%s,%s,0.001,%d,%ld,%ld,%ld,%ld,%ld,%.4g,%g,,\n",
                        k ? "bodies" : "joints", j ? "differences" : "exact", e + 1, c->steps, c->rejected,
                        c->iterations, c->evaluations, c->factorizations, c->seconds, TABLE30[j][e]);
            }
    paper_close(p, f, "004_vehicle.csv");
}

// ---- figures ----------------------------------------------------------------------------------------------

// Times over the tolerance at a length (end 0: over the length at 1e-3), all methods, thesis as crosses.
static void draw_times(paper *p, const results *r, const char *file, int end)
{
    static const double length[LENGTHS] = {1, 2, 3, 4};
    double y[METHODS][LENGTHS], thesis[METHODS][LENGTHS];
    paper_series s[2 * METHODS];
    for (int m = 0; m < METHODS; m++) {
        for (int i = 0; i < LENGTHS; i++) {
            y[m][i] = end ? r->cost[m][end - 1][i].seconds : r->cost[m][i][1].seconds;
            thesis[m][i] = end ? THESIS[m].seconds[end - 1][i] : THESIS[m].seconds[i][1];
        }
        s[m] = (paper_series){.name = THESIS[m].method, .count = 4, .x = end ? TOL : length, .y = y[m]};
        s[METHODS + m] = (paper_series){
            .name = THESIS[m].name, .count = 4, .x = end ? TOL : length, .y = thesis[m], .printed = true};
    }
    paper_draw(p, &(paper_figure){.file = file,
                                  .title = end ? "Vehicle, 1 s" : "Vehicle, tolerance 1e-3",
                                  .x = end ? "tolerance" : "length of the run [s]",
                                  .y = "CPU time [s]",
                                  .linear_x = !end,
                                  .series = s,
                                  .count = 2 * METHODS});
}

// Figure 19: one method at 1e-3, time over the length.
static void draw_one(paper *p, const results *r)
{
    static const double length[LENGTHS] = {1, 2, 3, 4};
    double y[LENGTHS];
    for (int i = 0; i < LENGTHS; i++) y[i] = 1e3 * r->cost[0][i][1].seconds;
    const paper_series s = {.name = "ssp-trap", .count = LENGTHS, .x = length, .y = y};
    paper_draw(p, &(paper_figure){.file = "004_figure19.svg",
                                  .title = "Vehicle, tolerance 1e-3",
                                  .x = "length of the run [s]",
                                  .y = "CPU time [ms]",
                                  .linear_x = true,
                                  .linear_y = true,
                                  .series = &s,
                                  .count = 1});
}

typedef struct history {
    int count;
    double *t, *y;
} history;

// The mean of `every` steps each; iterations, or step sizes.
static void mean_of(const paper_record *record, bool iterations, int every, history *out)
{
    for (int i = 0; i + every <= record->count && out->t && out->y; i += every) {
        double sum = 0;
        for (int k = i; k < i + every; k++)
            sum += iterations ? (double)record->step[k].iterations : record->step[k].h;
        out->t[out->count] = record->step[i + every - 1].t;
        out->y[out->count++] = sum / every;
    }
}

static bool calc_history(paper *p, const tml_model *model, const paper_case *c, bool iterations, history *out)
{
    paper_cost cost;
    paper_record record = {0};
    char what[64];
    *out = (history){0};
    if (!paper_run(p, model, c, &record, &cost)) return false;
    out->t = calloc((size_t)record.count, sizeof(double));
    out->y = calloc((size_t)record.count, sizeof(double));
    mean_of(&record, iterations, iterations ? 25 : 1, out);
    double longest = 0, most = 0;
    for (int i = 0; i < record.count; i++) longest = fmax(longest, record.step[i].h);
    for (int i = 0; i < out->count && iterations; i++) most = fmax(most, out->y[i]);
    const bool embedded = c->estimate == TML_ESTIMATE_EMBEDDED;
    printf("| `%s`%s | %g | %ld | %.2f |", c->method, embedded ? ", `estimate: embedded`" : "", c->end,
           cost.steps, (double)cost.iterations / (double)cost.steps);
    if (iterations) printf(" %.2f |\n", most);
    else puts(" |");
    snprintf(what, sizeof what, "`%s`: longest step [s]", c->method);
    // a step is the difference of its times, up to 30 s, which are rounded by 4e-15
    if (c->max_step > 0) paper_within(p, what, longest, 0.99 * c->max_step, c->max_step * (1 + 1e-12));
    snprintf(what, sizeof what, "`%s`: iterations a step", c->method);
    if (iterations)
        paper_within(p, what, (double)cost.iterations / (double)cost.steps, embedded ? 2 : 1,
                     embedded ? 3 : 2);
    free(record.step);
    return true;
}

static void draw_history(paper *p, const tml_model *model, const char *file, const char *a, const char *b,
                         double end, double max_step, bool iterations)
{
    const char *const name[2] = {a, b};
    static const char *const label[2] = {"default estimate", "estimate: embedded"};
    history h[2] = {{0}, {0}};
    paper_series s[2];
    int n = 0;
    for (int i = 0; i < 2 && name[i]; i++) {
        const paper_case c = {.method = name[i],
                              .tol = 1e-3,
                              .end = end,
                              .max_step = max_step,
                              .kinematics = TML_KINEMATICS_JOINTS,
                              .estimate =
                                  iterations && i == 1 ? TML_ESTIMATE_EMBEDDED : TML_ESTIMATE_FILTERED};
        if (!calc_history(p, model, &c, iterations, &h[i])) break;
        s[n++] = (paper_series){
            .name = iterations ? label[i] : name[i], .count = h[i].count, .x = h[i].t, .y = h[i].y};
    }
    if (n > 0)
        paper_draw(p, &(paper_figure){.file = file,
                                      .title = "Vehicle, tolerance 1e-3",
                                      .x = "time [s]",
                                      .y = iterations ? "iterations of a step, mean of 25" : "step size [s]",
                                      .linear_x = true,
                                      .linear_y = iterations,
                                      .smooth = true,
                                      .series = s,
                                      .count = n});
    for (int i = 0; i < 2; i++) {
        free(h[i].t);
        free(h[i].y);
    }
}

int main(int argc, char **argv)
{
    paper p;
    static results r;
    if (!paper_arguments(&p, argc, argv)) return 2;
    tml_model *model = paper_model(&p, "hmmwv");
    if (!model) return 1;
    if (calc(&p, model, &r) && calc_errors(&p, model, &r) && calc_turns(&p, model, &r)) {
        print_times(&r);
        print_work(&p, &r);
        print_jacobians(&r);
        print_key(&r);
        print_laws(&p, &r);
        write_csv(&p, &r);
        draw_one(&p, &r);
        draw_times(&p, &r, "004_figure21.svg", 1);
        draw_times(&p, &r, "004_figure22.svg", 0);
        paper_part("histories", "exact exact steps steps", NULL);
        puts("| method | length [s] | steps | iterations a step | most, mean of 25 steps |\n"
             "|---|---|---|---|---|");
        draw_history(&p, model, "004_figure23.svg", "for-sdirk", "ssp-trap", 4, 0, false);
        draw_history(&p, model, "004_figure24.svg", "for-rosen", "infl-sdirk", 30, 1, false);
        draw_history(&p, model, "004_figure25.svg", "ssp-trap", "ssp-trap", 10, 0, true);
    }
    tml_model_destroy(model);
    return paper_end(&p);
}
