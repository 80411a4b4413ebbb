// The file of a part: text, with every number in full (docs/modal-bodies.md).
//
//   trammel part 1
//   nodes 2                      name and position [m] of the interface nodes, in the axes of the part
//   left 0 0 0
//   right 1 0 0
//   reference left
//   modes 2                      frequencies [Hz] of the modes with fixed interface nodes
//   12.5
//   40.1
//   matrix mass                  N rows of N numbers; also stiffness, turn_x .. turn_z (A_a of part.h),
//   ...                          turn_xx .. turn_yz (B_ab), stiffening LOAD
//   end
#include "base/target.h"
#include "part/part.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NODES = 200, MAX_MODES = 500, MATRICES = 2 + 3 + TMLI_PAIRS };

static const char *const axis_name[3] = {"x", "y", "z"};

// The matrices that every part has, with their names.
static void list_matrices(const tml_part *p, double *matrix[MATRICES], char name[MATRICES][16])
{
    matrix[0] = p->M;
    matrix[1] = p->K;
    snprintf(name[0], sizeof name[0], "mass");
    snprintf(name[1], sizeof name[1], "stiffness");
    for (int a = 0; a < 3; a++) {
        matrix[2 + a] = p->A[a];
        snprintf(name[2 + a], sizeof name[2 + a], "turn_%s", axis_name[a]);
    }
    for (int k = 0; k < TMLI_PAIRS; k++) {
        matrix[5 + k] = p->B[k];
        snprintf(name[5 + k], sizeof name[5 + k], "turn_%s", tmli_pair_name[k]);
    }
}

// ---- writing ----------------------------------------------------------------------------------------------

static void write_matrix(FILE *f, const char *name, int N, const double *X)
{
    char number[32];
    fprintf(f, "matrix %s\n", name);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            fprintf(f, "%s%c", tmli_dtoa(X[i * N + j], number), j + 1 < N ? ' ' : '\n');
}

tml_status tml_part_write(const tml_part *p, const char *path, tml_error *err)
{
    if (!p || !path) return tmli_null_argument(err, "tml_part_write");
    tmli_draft d;
    const tml_status st = tmli_draft_open(&d, path, &p->env, err);
    if (st != TML_OK) return st;
    FILE *const f = d.out;
    char a[32], b[32], c[32], name[MATRICES][16];
    double *matrix[MATRICES];
    fprintf(f, "trammel part 1\nnodes %d\n", p->nnodes);
    for (int i = 0; i < p->nnodes; i++)
        fprintf(f, "%s %s %s %s\n", p->name[i], tmli_dtoa(p->position[3 * i], a),
                tmli_dtoa(p->position[3 * i + 1], b), tmli_dtoa(p->position[3 * i + 2], c));
    fprintf(f, "reference %s\nmodes %d\n", p->name[p->reference], p->nmodes);
    for (int j = 0; j < p->nmodes; j++) fprintf(f, "%s\n", tmli_dtoa(p->frequency[j], a));
    list_matrices(p, matrix, name);
    for (int k = 0; k < MATRICES; k++) write_matrix(f, name[k], p->N, matrix[k]);
    for (int k = 0; k < p->nstiffening; k++) {
        const tmli_stiffening *s = &p->stiffening[k];
        char load[TMLI_WORD];
        if (s->pair >= 0) snprintf(load, sizeof load, "stiffening spin.%s", tmli_pair_name[s->pair]);
        else
            snprintf(load, sizeof load, "stiffening %.200s.%s", p->name[s->coordinate / 6],
                     tmli_node_coordinate[s->coordinate % 6]);
        write_matrix(f, load, p->N, s->G);
    }
    fprintf(f, "end\n");
    return tmli_draft_close(&d, TML_OK, err);
}

// ---- reading ----------------------------------------------------------------------------------------------

typedef struct part_file {
    tmli_lines l;
    const tml_env *env;
    tmli_arena arena;  // of names and positions, before the part has its size
    int nnodes;
    char **name;
    double *position;
    tml_part *p;
    unsigned have;  // bit k: matrix k has been read
} part_file;

static tml_status fail(part_file *f, const char *expected)
{
    return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, tmli_lines_mark(&f->l), "expected %s", expected);
}

// The next line begins with `word`.
static tml_status expect(part_file *f, const char *word)
{
    char found[TMLI_WORD], text[TMLI_WORD + 16];
    tml_mark at;
    snprintf(text, sizeof text, "'%.200s'", word);
    if (!tmli_lines_next(&f->l, '#') || !tmli_lines_word(&f->l, 0, found, &at)) return fail(f, text);
    if (strcmp(found, word) == 0) return TML_OK;
    return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, at, "'%.60s' found, expected %s", found, text);
}

static tml_status read_nodes(part_file *f)
{
    long version, count;
    char word[TMLI_WORD];
    tml_status st = expect(f, "trammel");
    if (st == TML_OK && (!tmli_lines_word(&f->l, 0, word, NULL) || strcmp(word, "part") != 0))
        st = fail(f, "'trammel part 1', the first line of a file made by trammel reduce");
    if (st == TML_OK) st = tmli_lines_integer(&f->l, "the version", 1, 1, &version);
    if (st == TML_OK) st = expect(f, "nodes");
    if (st == TML_OK) st = tmli_lines_integer(&f->l, "the number of nodes", 1, MAX_NODES, &count);
    if (st != TML_OK) return st;
    f->nnodes = (int)count;
    f->name = tmli_arena_alloc(&f->arena, (size_t)count, sizeof *f->name);
    f->position = tmli_arena_alloc(&f->arena, 3 * (size_t)count, sizeof *f->position);
    if (!f->name || !f->position) return tmli_no_memory(f->l.err, "part");
    for (int i = 0; i < f->nnodes && st == TML_OK; i++) {
        if (!tmli_lines_next(&f->l, '#') || !tmli_lines_word(&f->l, 0, word, NULL))
            return fail(f, "the name and position of a node");
        f->name[i] = tmli_arena_strdup(&f->arena, word);
        if (!f->name[i]) return tmli_no_memory(f->l.err, "part");
        for (int c = 0; c < 3 && st == TML_OK; c++)
            st = tmli_lines_number(&f->l, "the position of a node", &f->position[3 * i + c]);
    }
    return st;
}

static int find_node(const part_file *f, const char *name, size_t length)
{
    for (int i = 0; i < f->nnodes; i++)
        if (strlen(f->name[i]) == length && strncmp(f->name[i], name, length) == 0) return i;
    return -1;
}

static tml_status read_modes(part_file *f)
{
    long count;
    char word[TMLI_WORD];
    tml_mark at;
    tml_status st = expect(f, "reference");
    if (st != TML_OK) return st;
    if (!tmli_lines_word(&f->l, 0, word, &at)) return fail(f, "the name of the reference node");
    const int reference = find_node(f, word, strlen(word));
    if (reference < 0) return tmli_fail_at(f->l.err, TML_ERR_NAME, at, "the part has no node '%.60s'", word);
    st = expect(f, "modes");
    if (st == TML_OK) st = tmli_lines_integer(&f->l, "the number of modes", 0, MAX_MODES, &count);
    if (st == TML_OK) st = tmli_part_create(f->env, f->nnodes, (int)count, 0, &f->p, f->l.err);
    if (st != TML_OK) return st;
    f->p->reference = reference;
    memcpy(f->p->position, f->position, 3 * (size_t)f->nnodes * sizeof *f->position);
    for (int i = 0; i < f->nnodes; i++) {
        f->p->name[i] = tmli_arena_strdup(&f->p->arena, f->name[i]);
        if (!f->p->name[i]) return tmli_no_memory(f->l.err, "part");
    }
    for (int j = 0; j < f->p->nmodes && st == TML_OK; j++) {
        if (!tmli_lines_next(&f->l, '#')) return fail(f, "the frequency of a mode");
        st = tmli_lines_number(&f->l, "a frequency", &f->p->frequency[j]);
    }
    return st;
}

static tml_status read_rows(part_file *f, const char *what, double *X)
{
    const int N = f->p->N;
    tml_status st = TML_OK;
    for (int i = 0; i < N && st == TML_OK; i++) {
        char word[TMLI_WORD];
        if (!tmli_lines_next(&f->l, '#'))
            return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, tmli_lines_mark(&f->l),
                                "matrix %s has %d rows, expected %d", what, i, N);
        for (int j = 0; j < N && st == TML_OK; j++)
            st = tmli_lines_number(&f->l, "an entry of a matrix", &X[i * N + j]);
        if (st == TML_OK && tmli_lines_word(&f->l, 0, word, NULL))
            st = tmli_fail_at(f->l.err, TML_ERR_SYNTAX, tmli_lines_mark(&f->l),
                              "row %d of matrix %s has more than %d numbers", i + 1, what, N);
    }
    return st;
}

static tml_status read_stiffening(part_file *f)
{
    tml_part *p = f->p;
    char word[TMLI_WORD];
    tml_mark at;
    if (!tmli_lines_word(&f->l, 0, word, &at)) return fail(f, "a load case");
    const char *dot = strrchr(word, '.');
    const size_t length = dot ? (size_t)(dot - word) : 0;
    const int node = dot ? find_node(f, word, length) : -1;
    tmli_stiffening s = {-1, -1, tmli_arena_alloc(&p->arena, (size_t)p->N * (size_t)p->N, sizeof(double))};
    tmli_stiffening *more = tmli_arena_alloc(&p->arena, (size_t)p->nstiffening + 1, sizeof *more);
    if (!s.G || !more) return tmli_no_memory(f->l.err, "part");
    for (int k = 0; k < TMLI_PAIRS && dot; k++)
        if (length == 4 && strncmp(word, "spin", 4) == 0 && strcmp(dot + 1, tmli_pair_name[k]) == 0)
            s.pair = k;
    for (int c = 0; c < 6 && node >= 0 && s.pair < 0; c++)
        if (strcmp(dot + 1, tmli_node_coordinate[c]) == 0) s.coordinate = 6 * node + c;
    if (s.pair < 0 && (s.coordinate < 0 || node == p->reference))
        return tmli_fail_at(f->l.err, TML_ERR_NAME, at, "there is no load case '%.60s'", word);
    memcpy(more, p->stiffening, (size_t)p->nstiffening * sizeof *more);
    p->stiffening = more;
    p->stiffening[p->nstiffening++] = s;
    return read_rows(f, word, s.G);
}

static tml_status read_matrices(part_file *f)
{
    double *matrix[MATRICES];
    char name[MATRICES][16], word[TMLI_WORD];
    tml_mark at;
    list_matrices(f->p, matrix, name);
    for (;;) {
        if (!tmli_lines_next(&f->l, '#') || !tmli_lines_word(&f->l, 0, word, &at))
            return fail(f, "'matrix' or 'end'");
        if (strcmp(word, "end") == 0) break;
        if (strcmp(word, "matrix") != 0 || !tmli_lines_word(&f->l, 0, word, &at))
            return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, at, "'%.60s' found, expected 'matrix' or 'end'",
                                word);
        int k = MATRICES - 1;
        while (k >= 0 && strcmp(word, name[k]) != 0) k--;
        if (k < 0 && strcmp(word, "stiffening") != 0)
            return tmli_fail_at(f->l.err, TML_ERR_NAME, at, "there is no matrix '%.60s'", word);
        const tml_status st = k < 0 ? read_stiffening(f) : read_rows(f, name[k], matrix[k]);
        if (st != TML_OK) return st;
        if (k >= 0) f->have |= 1u << k;
    }
    for (int k = 0; k < MATRICES; k++)
        if (!(f->have >> k & 1u))
            return tmli_fail_at(f->l.err, TML_ERR_SYNTAX, tmli_lines_mark(&f->l), "matrix %s is missing",
                                name[k]);
    return tmli_part_check(f->p, (tml_mark){f->l.path, 1, 1}, f->l.err);
}

tml_status tmli_part_read(const tmli_text *text, const tml_env *env, tml_part **out, tml_error *err)
{
    part_file f = {.env = env, .arena.env = env};
    tml_status st = tmli_lines_open(&f.l, text, env, err);
    if (st == TML_OK) st = read_nodes(&f);
    if (st == TML_OK) st = read_modes(&f);
    if (st == TML_OK) st = read_matrices(&f);
    tmli_lines_close(&f.l);
    tmli_arena_clear(&f.arena);
    if (st == TML_OK) *out = f.p;
    else tml_part_destroy(f.p);
    return st;
}

tml_status tml_part_read(const char *path, const tml_env *env, tml_part **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!path || !out) return tmli_null_argument(err, "tml_part_read");
    const tmli_text text = {.path = path};
    return tmli_part_read(&text, env, out, err);
}
