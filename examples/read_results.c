// Results written to a file by a hook, and read from it: names, units, rows.
//
// Expected: the slider of models/slider_crank.yaml moves between l - r and r + l from the shaft of the crank,
// r and l being the lengths of crank and rod (0.05 m and 0.16 m). Exit status 0 if the file shows this.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel.h>

typedef struct sink {
    tml_writer *writer;
    double *row;
    tml_error err;
} sink;

static tml_status write_row(const tml_sim *sim, const tml_state *x, void *user)
{
    sink *s = (sink *)user;
    tml_status st = tml_sim_channel_values(sim, x, s->row, &s->err);
    if (st == TML_OK) st = tml_writer_row(s->writer, s->row, &s->err);
    return st == TML_OK ? TML_OK : TML_ERR_STOPPED;
}

static tml_status simulate(const char *path, tml_error *err)
{
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    sink s;
    memset(&s, 0, sizeof s);
    tml_status st = tml_spec_read("models/slider_crank.yaml", NULL, 0, NULL, &spec, err);
    if (st == TML_OK) st = tml_model_build(spec, &model, err);
    if (st == TML_OK) st = tml_sim_create(model, NULL, &sim, err);
    const int count = tml_sim_channel_count(sim);
    s.row = (double *)calloc((size_t)count + 1, sizeof(double));
    if (st == TML_OK)
        st = tml_writer_create(path, tml_sim_channels(sim), count, NULL, 0, NULL, &s.writer, err);
    const tml_sim_hooks hooks = {.on_output = write_row, .user = &s};
    tml_sim_set_hooks(sim, &hooks);
    if (st == TML_OK) st = tml_sim_run(sim, NAN, err);
    const tml_status closed = tml_writer_close(s.writer, err);
    free(s.row);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return st == TML_OK ? closed : st;
}

int main(void)
{
    static const char *const path = "slider.csv";
    tml_error err;
    tml_result *r = NULL;
    tml_status st = simulate(path, &err);
    if (st == TML_OK) st = tml_result_open(path, NULL, &r, &err);
    const int x = st == TML_OK ? tml_result_channel_index(r, "slider.x", &err) : -1;
    if (x < 0) {
        fprintf(stderr, "%s\n", err.msg);
        tml_result_close(r);
        return 1;
    }
    double least = INFINITY, most = -INFINITY;
    const size_t rows = tml_result_row_count(r);
    for (size_t i = 0; i < rows; i++) {
        least = fmin(least, tml_result_value(r, i, x));
        most = fmax(most, tml_result_value(r, i, x));
    }
    printf("%d channels, %zu rows up to t = %g s\n", tml_result_channel_count(r), rows,
           tml_result_time(r, rows - 1));
    printf("slider between x = %.5f m and %.5f m\n", least, most);
    const int good = most <= 0.21 + 1e-9 && most > 0.2095 && least >= 0.11 - 1e-9 && least < 0.1105;
    if (!good) fprintf(stderr, "the slider does not move as it should\n");
    tml_result_close(r);
    remove(path);
    return good ? 0 : 1;
}
