// Table 24 of D. Negrut, On the implicit integration of differential-algebraic equations of multibody
// dynamics, thesis, University of Iowa, 1998, section 5.2, by `adams`, which is of the kind used there, at
// all four tolerances and whole: the stiff vehicle for 4 s, joint coordinates, nothing extrapolated
// (papers_004_explicit runs `erk5` whole, and of `adams` one tolerance). usage: papers_004_table24 --whole
// [--out DIR], from the top of the tree. Takes six minutes of processor time; without --whole, or the
// environment variable PAPERS_WHOLE, it only says so, so that all programs of this folder may be run
// together.
#include "paper_run.h"

enum { TOLS = 4, LENGTHS = 4 };
static const double TOL[TOLS] = {1e-2, 1e-3, 1e-4, 1e-5};
static const double PRINTED[LENGTHS][TOLS] = {{3618, 3641, 3667, 3663},
                                              {7276, 7348, 7287, 7276},
                                              {10865, 11122, 10949, 10965},
                                              {14480, 14771, 14630, 14592}};

static void print(paper_cost cost[TOLS][LENGTHS])
{
    paper_part("whole", "exact size", "time");
    puts(
        "Table 24, thesis (DEABM) [s] / `adams`, thousands of steps / of evaluations of the accelerations\n\n"
        "| length | 1e-2 | 1e-3 | 1e-4 | 1e-5 |\n|---|---|---|---|---|");
    for (int e = 0; e < LENGTHS; e++) {
        printf("| %d s |", e + 1);
        for (int i = 0; i < TOLS; i++)
            printf(" %g / %.0f / %.0f |", PRINTED[e][i], 1e-3 * (double)cost[i][e].steps,
                   1e-3 * (double)cost[i][e].evaluations);
        puts("");
    }
    printf("\nSeconds of processor time for 4 s:");
    for (int i = 0; i < TOLS; i++) printf(" %.0f", cost[i][LENGTHS - 1].seconds);
    puts("");
}

int main(int argc, char **argv)
{
    static paper_cost cost[TOLS][LENGTHS];
    bool whole = getenv("PAPERS_WHOLE") != NULL;
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--whole") == 0) whole = true;
        else argv[kept++] = argv[i];
    }
    paper p;
    if (!paper_arguments(&p, kept, argv)) return 2;
    if (!whole) {
        puts("<!-- left out: whole; six minutes, --whole -->");
        return 0;
    }
    tml_model *model = paper_model(&p, "hmmwv");
    if (!model) return 1;
    FILE *f = paper_open(&p, "004_table24.csv");
    if (f) fprintf(f, "tol,length,steps,rejected,accelerations,cpu_seconds,thesis_seconds\n");
    for (int i = 0; i < TOLS && p.failures == 0; i++) {
        const paper_case c = {
            .method = "adams", .tol = TOL[i], .end = LENGTHS, .kinematics = TML_KINEMATICS_JOINTS};
        paper_record record = {.mark = 1};
        paper_cost end;
        paper_run(&p, model, &c, &record, &end);
        memcpy(cost[i], record.marked, sizeof cost[i]);
        for (int e = 0; e < LENGTHS && f; e++)
            fprintf(f, "%g,%d,%ld,%ld,%ld,%.4g,%g\n", TOL[i], e + 1, cost[i][e].steps, cost[i][e].rejected,
                    cost[i][e].evaluations, cost[i][e].seconds, PRINTED[e][i]);
        if (f) fflush(f);
    }
    paper_close(&p, f, "004_table24.csv");
    // stability limits the steps, not the tolerance
    double least = INFINITY, most = 0;
    for (int i = 0; i < TOLS; i++) {
        least = fmin(least, (double)cost[i][LENGTHS - 1].steps);
        most = fmax(most, (double)cost[i][LENGTHS - 1].steps);
    }
    print(cost);
    paper_within(&p, "largest over least number of steps of 4 s", most / least, 1, 1.1);
    tml_model_destroy(model);
    return paper_end(&p);
}
