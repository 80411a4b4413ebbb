// Diagrams: ticks and labels, what is drawn where, SVG that every XML reader takes, PNG or a sentence why
// not.
#include "support.h"
#include "view/plot/plot.h"

#include <locale.h>

#define OK(call)                                                                             \
    do {                                                                                     \
        const tml_status ok_st = (call);                                                     \
        if (ok_st != TML_OK) fail_msg("%s: %s: %s", #call, tml_status_name(ok_st), err.msg); \
    } while (0)

#define MINUS "\xE2\x88\x92"

// ---- axes -------------------------------------------------------------------------------------------------

// Labels of all ticks that have one, joined by blanks.
static const char *labels(const tmli_axis *a, char buf[800])
{
    size_t used = 0;
    buf[0] = 0;
    for (int i = 0; i < a->count; i++)
        if (a->tick[i].label[0])
            used += (size_t)snprintf(buf + used, 800 - used, "%s%s", used ? " " : "", a->tick[i].label);
    return buf;
}

static const tml_axis_def linear = {.kind = TML_AXIS_LINEAR, .min = NAN, .max = NAN};
static const tml_axis_def logarithmic = {.kind = TML_AXIS_LOG, .min = NAN, .max = NAN};

static void linear_axis(void **state)
{
    (void)state;
    static tmli_axis a;
    char buf[800];
    tmli_axis_init(&a, &linear, 0.03, 9.7, 400, 60);
    assert_string_equal(labels(&a, buf), "0 2 4 6 8 10");
    assert_true(a.min == 0 && a.max == 10 && a.exponent == 0);
    tmli_axis_init(&a, &linear, -0.26, 0.13, 400, 80);
    assert_string_equal(labels(&a, buf), MINUS "0.3 " MINUS "0.2 " MINUS "0.1 0 0.1 0.2");
    tmli_axis_init(&a, &linear, 0, 2.3e6, 300, 60);
    assert_string_equal(labels(&a, buf), "0 0.5 1.0 1.5 2.0 2.5");
    assert_int_equal(a.exponent, 6);
    tmli_axis_init(&a, &linear, 0, 4e-5, 300, 60);
    assert_string_equal(labels(&a, buf), "0 1 2 3 4");
    assert_int_equal(a.exponent, -5);
    tml_axis_def fixed = {.kind = TML_AXIS_LINEAR, .min = -0.7, .max = 1.3};
    tmli_axis_init(&a, &fixed, -100, 100, 400, 80);
    assert_true(a.min == -0.7 && a.max == 1.3);
    assert_string_equal(labels(&a, buf), MINUS "0.5 0 0.5 1.0");
    for (int i = 0; i < a.count; i++)
        assert_true(a.tick[i].value >= -0.7 - 1e-9 && a.tick[i].value <= 1.3 + 1e-9);
}

static void log_axis(void **state)
{
    (void)state;
    static tmli_axis a;
    char buf[800];
    tmli_axis_init(&a, &logarithmic, 2e-4, 3e-1, 300, 40);
    assert_string_equal(labels(&a, buf), "10^{" MINUS "3} 10^{" MINUS "2} 10^{" MINUS "1}");
    int minor = 0;
    for (int i = 0; i < a.count; i++) minor += !a.tick[i].major;
    assert_true(a.min < 2e-4 && a.max > 3e-1 && a.min > 1e-4 && a.max < 1);
    assert_int_equal(minor, 8 + 8 + 8 + 3);  // 2e-4 .. 9e-4, then 2 .. 9 of two decades, then 0.2, 0.3, 0.4
    // thirty-six decades in 340 px: every third is labelled, and none twice
    tmli_axis_init(&a, &logarithmic, 1, 1e36, 340, 30);
    for (int i = 1; i < a.count; i++) assert_true(a.tick[i].value > a.tick[i - 1].value);
    assert_non_null(strstr(labels(&a, buf), "10^{0} 10^{4}"));
    // less than a decade between fixed limits: other multiples are labelled
    const tml_axis_def fixed = {.kind = TML_AXIS_LOG, .min = 1.5e-3, .max = 7e-3};
    tmli_axis_init(&a, &fixed, 1, 2, 300, 60);
    assert_true(a.min == 1.5e-3 && a.max == 7e-3);
    assert_string_equal(labels(&a, buf), "2\xC3\x97"
                                         "10^{" MINUS "3} 5\xC3\x97"
                                         "10^{" MINUS "3}");
    // one value, and none
    tmli_axis_init(&a, &logarithmic, 3, 3, 300, 60);
    assert_true(a.min == 1 && a.max == 10);
    tmli_axis_init(&a, &logarithmic, INFINITY, -INFINITY, 300, 60);
    assert_true(a.min < a.max && a.count >= 2);
}

static void places(void **state)
{
    (void)state;
    static tmli_axis a;
    const tml_axis_def def = {.kind = TML_AXIS_LOG, .min = 1e-3, .max = 1e1};
    tmli_axis_init(&a, &def, 1, 2, 400, 40);
    a.from = 100;
    a.to = 500;
    CHECK_CLOSE(tmli_axis_place(&a, 1e-3), 100, 1e-9);
    CHECK_CLOSE(tmli_axis_place(&a, 1e-1), 300, 1e-9);  // half of four decades
    assert_false(tmli_axis_drawable(TML_AXIS_LOG, 0) || tmli_axis_drawable(TML_AXIS_LOG, -1) ||
                 tmli_axis_drawable(TML_AXIS_LINEAR, NAN) || tmli_axis_drawable(TML_AXIS_LINEAR, INFINITY));
    assert_true(tmli_axis_drawable(TML_AXIS_LINEAR, -3));
}

// Whatever the range: ticks inside, ascending, labels distinct, at least two of them.
static void axes_of_any_range(void **state)
{
    (void)state;
    static tmli_axis a;
    rng r = rng_seed(7);
    for (int k = 0; k < 2000; k++) {
        const bool is_log = k % 2;
        const double size = pow(10, rng_range(&r, -12, 12));
        const double lo = is_log ? size : size * rng_range(&r, -1, 1),
                     hi = lo + fabs(lo) * pow(10, rng_range(&r, -6, 9));
        tmli_axis_init(&a, is_log ? &logarithmic : &linear, lo, hi, rng_range(&r, 100, 900),
                       rng_range(&r, 20, 50));
        int named = 0;
        const char *last = "";
        const double room = 1e-5 * (a.max - a.min);  // a limit may fall short of the data by 1e-6 of a step
        assert_true(a.min < a.max && a.min <= lo + room && a.max >= hi - room);
        for (int i = 0; i < a.count; i++) {
            const tmli_tick *t = &a.tick[i];
            const double slack = 1e-6 * (a.max - a.min);
            assert_true(is_log || (t->value >= a.min - slack && t->value <= a.max + slack));
            assert_true(i == 0 || t->value > a.tick[i - 1].value);
            if (!t->label[0]) continue;
            assert_string_not_equal(t->label, last);
            last = t->label;
            named++;
        }
        if (named < 2) fail_msg("%d labels on %g .. %g (%s)", named, lo, hi, is_log ? "log" : "linear");
    }
}

// ---- clipping ---------------------------------------------------------------------------------------------

static void clipping(void **state)
{
    (void)state;
    const tmli_rect r = {10, 20, 100, 50};
    tmli_point a = {-40, 45}, b = {160, 45};
    assert_true(tmli_clip(r, &a, &b));
    CHECK_CLOSE(a.x, 10, 1e-12);
    CHECK_CLOSE(b.x, 110, 1e-12);
    a = (tmli_point){0, 0};
    b = (tmli_point){5, 300};
    assert_false(tmli_clip(r, &a, &b));
    a = (tmli_point){0, 10};  // through the corner region: enters at x = 10, y = 20
    b = (tmli_point){60, 70};
    assert_true(tmli_clip(r, &a, &b));
    CHECK_CLOSE(a.x, 10, 1e-12);
    CHECK_CLOSE(a.y, 20, 1e-12);
    CHECK_CLOSE(b.y, 70, 1e-12);
    a = b = (tmli_point){50, 50};
    assert_true(tmli_clip(r, &a, &b));
}

// ---- files ------------------------------------------------------------------------------------------------

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("cannot read %s", path);
    char *data = calloc(1, 1 << 22);
    assert_non_null(data);
    assert_true(fread(data, 1, (1 << 22) - 1, f) > 0);
    fclose(f);
    return data;
}

static int occurrences(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

// Tags open and close in order, attributes are quoted, '&' only begins an entity: what an XML reader insists
// on.
static void check_well_formed(const char *text)
{
    char open[32][32];
    int depth = 0;
    assert_int_equal(strncmp(text, "<?xml ", 6), 0);
    for (const char *s = strchr(text, '>') + 1; *s; s++) {
        if (*s == '&' && strncmp(s, "&amp;", 5) != 0 && strncmp(s, "&lt;", 4) != 0 &&
            strncmp(s, "&gt;", 4) != 0 && strncmp(s, "&quot;", 6) != 0)
            fail_msg("a lonely ampersand: %.40s", s);
        assert_true((unsigned char)*s >= 0x20 || *s == '\n');
        if (*s != '<') continue;
        const char *end = s;
        for (bool quoted = false; *end && (quoted || *end != '>'); end++) {
            quoted ^= *end == '"';
            if (quoted && *end == '<') fail_msg("'<' in an attribute: %.60s", s);
        }
        assert_true(*end == '>');
        char name[32] = "";
        assert_int_equal(sscanf(s + 1 + (s[1] == '/'), "%31[a-zA-Z]", name), 1);
        if (s[1] == '/') {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < 32);
            snprintf(open[depth++], sizeof open[0], "%s", name);
        }
        s = end;
    }
    assert_int_equal(depth, 0);
}

static tml_plot *example(tml_legend_place legend)
{
    tml_error err = {0};
    tml_plot *p = NULL;
    tml_plot_def def = tml_plot_def_default();
    def.title = "a < b & \"c\" \x01 \xFF";
    def.x = (tml_axis_def){.label = "step", .unit = "s", .kind = TML_AXIS_LOG, .min = NAN, .max = NAN};
    def.y = (tml_axis_def){.label = "q_{1}", .kind = TML_AXIS_LOG, .min = 1e-6, .max = 1};
    def.legend = legend;
    OK(tml_plot_create(&def, NULL, &p, &err));
    const double x[] = {1e-1, 1e-2, 1e-3, 1e-4}, y[] = {1e-1, 1e-3, 0, 1e-9};
    tml_series_def s = tml_series_def_default();
    s.name = "x<y>";
    s.count = 4;
    s.x = x;
    s.y = y;
    s.marker = TML_MARKER_CIRCLE;
    OK(tml_plot_add(p, &s, &err));
    s.name = NULL;
    s.line = TML_LINE_DASHED;
    s.marker = TML_MARKER_NONE;
    OK(tml_plot_add(p, &s, &err));
    OK(tml_plot_add_slope(p, 2, 1e-3, 1e-4, 1e-1, "slope 2", &err));
    return p;
}

static void svg_is_well_formed(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_plot *p = example(TML_LEGEND_TOP_RIGHT);
    OK(tml_plot_write(p, "a.svg", &err));
    char *text = read_file("a.svg");
    check_well_formed(text);
    assert_non_null(
        strstr(text, "a &lt; b &amp; &quot;c&quot;   \xEF\xBF\xBD</text>"));  // control and invalid bytes
    assert_non_null(strstr(text, ">x&lt;y&gt;</text>"));
    assert_non_null(strstr(text, ">step [s]</text>"));
    assert_non_null(strstr(text, "q<tspan"));
    assert_non_null(strstr(text, ">slope 2</text>"));
    assert_int_equal(occurrences(text, "stroke-dasharray=\"7 4\""),
                     1);                                    // one piece: the gap and the limits cut the rest
    assert_int_equal(occurrences(text, "<circle"), 2 + 1);  // two points inside, one in the legend
    free(text);
    OK(tml_plot_write(p, "b.SVG", &err));
    tml_plot_destroy(p);
    p = example(TML_LEGEND_NONE);
    OK(tml_plot_write(p, "a.svg", &err));
    text = read_file("a.svg");
    assert_null(strstr(text, "x&lt;y"));
    free(text);
    tml_plot_destroy(p);
}

// The same file, whatever the locale says about decimal points, and again.
static void svg_is_repeatable(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_plot *p = example(TML_LEGEND_AUTO);
    OK(tml_plot_write(p, "c.svg", &err));
    char *first = read_file("c.svg");
    setlocale(LC_ALL, "de_DE.UTF-8");
    OK(tml_plot_write(p, "c.svg", &err));
    setlocale(LC_ALL, "C");
    char *second = read_file("c.svg");
    assert_string_equal(first, second);
    free(first);
    free(second);
    tml_plot_destroy(p);
}

// A legend in a corner full of points goes elsewhere, and outside if all are full.
static void legend_places(void **state)
{
    (void)state;
    tml_error err = {0};
    static tmli_layout l;
    for (int full = 0; full < 2; full++) {
        tml_plot *p = NULL;
        tml_plot_def def = tml_plot_def_default();
        OK(tml_plot_create(&def, NULL, &p, &err));
        double x[400], y[400];
        for (int i = 0; i < 400; i++) {
            x[i] = i % 20;
            y[i] = full || (i % 20) + (i / 20) > 19 ? i / 20
                                                    : 19 - i % 20;  // all of it, or the upper right half
        }
        tml_series_def s = tml_series_def_default();
        s.name = "points";
        s.count = 400;
        s.x = x;
        s.y = y;
        s.line = TML_LINE_NONE;
        s.marker = TML_MARKER_PLUS;
        OK(tml_plot_add(p, &s, &err));
        tmli_plot_layout(p, &l);
        assert_true(l.legend.h > 0);
        if (full) {
            assert_true(l.legend.x >= l.frame.x + l.frame.w);
            assert_true(l.legend.x + l.legend.w <= def.width);
        } else {
            assert_true(l.legend.x < l.frame.x + l.frame.w / 2 && l.legend.y > l.frame.y + l.frame.h / 2);
        }
        tml_plot_destroy(p);
    }
}

// A long curve has a few markers to tell it from others; points without a line are all drawn.
static void markers_of_points_are_all_drawn(void **state)
{
    (void)state;
    enum { POINTS = 100 };
    tml_error err = {0};
    double x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++) x[i] = i, y[i] = i % 7;
    for (int points = 0; points < 2; points++) {
        tml_plot *p = NULL;
        tml_plot_def def = tml_plot_def_default();
        OK(tml_plot_create(&def, NULL, &p, &err));
        tml_series_def s = tml_series_def_default();
        s.count = POINTS;
        s.x = x;
        s.y = y;
        s.line = points ? TML_LINE_NONE : TML_LINE_SOLID;
        OK(tml_plot_add(p, &s, &err));
        OK(tml_plot_write(p, "markers.svg", &err));
        char *text = read_file("markers.svg");
        if (points) assert_int_equal(occurrences(text, "<circle"), POINTS);
        else assert_in_range(occurrences(text, "<circle"), 10, 30);
        free(text);
        tml_plot_destroy(p);
    }
}

// No two labels of the x axis touch, by the widths used for the layout.
static void labels_do_not_touch(void **state)
{
    (void)state;
    tml_error err = {0};
    static tmli_layout l;
    rng r = rng_seed(3);
    for (int k = 0; k < 300; k++) {
        tml_plot *p = NULL;
        tml_plot_def def = tml_plot_def_default();
        def.x.kind = k % 2 ? TML_AXIS_LOG : TML_AXIS_LINEAR;
        def.width = rng_range(&r, 250, 900);
        const double x0 = pow(10, rng_range(&r, -9, 9));
        const double x[2] = {x0, x0 * (1 + pow(10, rng_range(&r, -4, 6)))}, y[2] = {0, 1};
        tml_series_def s = tml_series_def_default();
        s.count = 2;
        s.x = x;
        s.y = y;
        OK(tml_plot_create(&def, NULL, &p, &err));
        OK(tml_plot_add(p, &s, &err));
        tmli_plot_layout(p, &l);
        double last = -INFINITY;
        for (int i = 0; i < l.x.count; i++) {
            if (!l.x.tick[i].label[0]) continue;
            const double at = tmli_axis_place(&l.x, l.x.tick[i].value);
            const double half = tmli_text_width(l.x.tick[i].label, tmli_font_size) / 2;
            if (at - half < last)
                fail_msg("'%s' touches its neighbour (%g .. %g)", l.x.tick[i].label, x[0], x[1]);
            last = at + half;
        }
        tml_plot_destroy(p);
    }
}

static void png_or_a_reason(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_plot *p = example(TML_LEGEND_OUTSIDE);
    const tml_status st = tml_plot_write(p, "a.png", &err);
    if (tml_plot_has_png()) {
        assert_int_equal(st, TML_OK);
        char *data = read_file("a.png");
        assert_memory_equal(data, "\x89PNG\r\n", 6);
        const unsigned char *w = (unsigned char *)data + 16;  // width and height of the IHDR chunk
        assert_int_equal(w[2] * 256 + w[3], 1280);
        assert_int_equal(w[6] * 256 + w[7], 880);
        free(data);
    } else {
        assert_int_equal(st, TML_ERR_ARG);
        assert_non_null(strstr(err.msg, "cairo"));
    }
    tml_plot_destroy(p);
}

static void pdf_or_a_reason(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_plot *p = example(TML_LEGEND_OUTSIDE);
    const tml_status st = tml_plot_write(p, "a.PDF", &err);
    if (tml_plot_has_png()) {
        assert_int_equal(st, TML_OK);
        char *data = read_file("a.PDF");
        assert_memory_equal(data, "%PDF-1.", 7);
        free(data);
        assert_int_equal(tml_plot_write(p, "no/such/folder/a.pdf", &err), TML_ERR_IO);
        assert_non_null(strstr(err.msg, "no/such/folder/a.pdf"));
    } else {
        assert_int_equal(st, TML_ERR_ARG);
        assert_non_null(strstr(err.msg, "PDF"));
        assert_non_null(strstr(err.msg, "cairo"));
    }
    tml_plot_destroy(p);
}

static void errors(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_plot *p = example(TML_LEGEND_AUTO);
    assert_int_equal(tml_plot_write(p, "a.gif", &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, ".svg, .png or .pdf"));
    assert_int_equal(tml_plot_write(p, "no/such/folder/a.svg", &err), TML_ERR_IO);
    assert_non_null(strstr(err.msg, "no/such/folder/a.svg"));
    assert_int_equal(tml_plot_write(p, ".svg", &err), TML_ERR_ARG);
    tml_series_def s = tml_series_def_default();
    s.count = 3;
    assert_int_equal(tml_plot_add(p, &s, &err), TML_ERR_ARG);
    s.size = 0;
    assert_int_equal(tml_plot_add(p, &s, &err), TML_ERR_ARG);
    assert_int_equal(tml_plot_add_slope(p, 2, 0, 1, 2, NULL, &err), TML_ERR_ARG);  // log of 0
    tml_plot_destroy(p);
    tml_plot_def def = tml_plot_def_default();
    def.x.min = 2;
    def.x.max = 1;
    assert_int_equal(tml_plot_create(&def, NULL, &p, &err), TML_ERR_ARG);
    assert_null(p);
    def.x.max = 3;
    def.y = (tml_axis_def){.kind = TML_AXIS_LOG, .min = 0, .max = NAN};
    assert_int_equal(tml_plot_create(&def, NULL, &p, &err), TML_ERR_ARG);
    def = tml_plot_def_default();
    def.width = 20;
    assert_int_equal(tml_plot_create(&def, NULL, &p, &err), TML_ERR_ARG);
    tml_plot_destroy(NULL);
}

// ---- memory -----------------------------------------------------------------------------------------------

typedef struct counter {
    long calls, fail_at, live;
} counter;
static void *count_alloc(size_t bytes, void *user)
{
    counter *c = user;
    if (++c->calls == c->fail_at) return NULL;
    c->live++;
    return malloc(bytes);
}
static void count_free(void *ptr, void *user)
{
    ((counter *)user)->live--;
    free(ptr);
}

static tml_status draw(const tml_env *env, const char *path)
{
    tml_plot *p = NULL;
    tml_plot_def def = tml_plot_def_default();
    def.title = "memory";
    tml_status st = tml_plot_create(&def, env, &p, NULL);
    const double x[] = {1, 2, 3}, y[] = {3, 1, 2};
    tml_series_def s = tml_series_def_default();
    s.name = "s";
    s.count = 3;
    s.x = x;
    s.y = y;
    if (st == TML_OK) st = tml_plot_add(p, &s, NULL);
    if (st == TML_OK) st = tml_plot_add_slope(p, 1, 1, 1, 2, "l", NULL);
    if (st == TML_OK) st = tml_plot_write(p, path, NULL);
    tml_plot_destroy(p);
    return st;
}

static void exhaust(const char *path)
{
    counter c = {0};
    const tml_env env = {.alloc = count_alloc, .free = count_free, .user = &c};
    assert_int_equal(draw(&env, path), TML_OK);
    const long calls = c.calls;
    assert_true(calls > 8 && c.live == 0);
    for (long k = 1; k <= calls; k++) {
        c = (counter){.fail_at = k};
        remove(path);
        assert_int_equal(draw(&env, path), TML_ERR_NOMEM);
        assert_int_equal(c.live, 0);
        assert_null(fopen(path, "r"));
    }
}

static void exhausted_memory(void **state)
{
    (void)state;
    exhaust("m.svg");
    if (tml_plot_has_png()) exhaust("m.pdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_axis),
        cmocka_unit_test(log_axis),
        cmocka_unit_test(places),
        cmocka_unit_test(axes_of_any_range),
        cmocka_unit_test(clipping),
        cmocka_unit_test(svg_is_well_formed),
        cmocka_unit_test(svg_is_repeatable),
        cmocka_unit_test(legend_places),
        cmocka_unit_test(markers_of_points_are_all_drawn),
        cmocka_unit_test(labels_do_not_touch),
        cmocka_unit_test(png_or_a_reason),
        cmocka_unit_test(pdf_or_a_reason),
        cmocka_unit_test(errors),
        cmocka_unit_test(exhausted_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
