// Functions and names of other languages (Python, MATLAB, C, Adams), and what is written here instead.
#include "expr/function.h"

#include <ctype.h>
#include <string.h>

typedef struct foreign {
    const char *theirs;  // each between blanks, lower case
    const char *say;
} foreign;

static const foreign called[] = {
    {" ln loge ", "write log(x)"},
    {" log2 ", "write log(x)/log(2)"},
    {" arcsin ", "write asin(x)"},
    {" arccos ", "write acos(x)"},
    {" arctan ", "write atan(x)"},
    {" arctan2 atan2d ", "write atan2(y, x)"},
    {" sec ", "write 1/cos(x)"},
    {" csc ", "write 1/sin(x)"},
    {" cot ", "write 1/tan(x)"},
    {" sgn signum ", "write sign(x)"},
    {" fabs ", "write abs(x)"},
    {" square ", "write x^2"},
    {" power ", "write x^y"},
    {" fmod rem remainder modulo ", "write mod(a, b)"},
    {" norm mag magnitude ", "write hypot(x, y), or distance(a, b) of two frames"},
    {" int trunc fix ", "write floor(x)"},
    {" clip sat saturate saturation limit constrain bound ", "write clamp(x, lo, hi)"},
    {" heaviside unitstep unit_step ", "write if(x > 0, 1, 0), or step(x, x0, h0, x1, h1) for a smooth one"},
    {" smoothstep havsin ", "write step(x, x0, h0, x1, h1)"},
    {" where cond iif ifelse select piecewise ", "write if(condition, a, b)"},
    {" x y z vx vy vz pos position vel velocity ", "values of a body are written BODY.x, BODY.vx"},
    {" pulse ", "write if(mod(t, period) < width, 1, 0)"},
    {" ramp ", "write max(0, x)"},
    {" deg ", "write 30 deg for an angle of 30 degrees, and x*180/pi for x in degrees"},
    {" degrees rad2deg todeg ", "write x*180/pi; an output is in degrees by 'unit: deg'"},
    {" rad radians deg2rad torad ", "write x*pi/180, or 30 deg"},
    {" der diff ddt derivative deriv ", "rates have names of their own, such as BODY.vx and JOINT.rate"},
    {" integral integrate integ ", "write an entry of 'states' whose 'rate' is the integrand"},
    {" interp interp1 lookup akispl cubspl ",
     "write the points under 'tables' and call the table by its name"},
    {" rand random randn noise gauss ", "nothing is random in a model; a table may hold a signal that was"},
};

static const foreign named[] = {
    {" e ", "write exp(1)"},
    {" inf infinity infty ", "no value is infinite here"},
    {" true ", "write 1"},
    {" false ", "write 0"},
    {" gravity ", "what numbers have in common stands under 'parameters'"},
};

static const char *find(const foreign *table, size_t rows, const char *word)
{
    char lower[32] = " ";
    const size_t n = strlen(word);
    if (n == 0 || n + 3 > sizeof lower) return NULL;
    for (size_t i = 0; i < n; i++) lower[i + 1] = (char)tolower((unsigned char)word[i]);
    lower[n + 1] = ' ';
    for (size_t i = 0; i < rows; i++)
        if (strstr(table[i].theirs, lower)) return table[i].say;
    return NULL;
}

const char *tmli_function_instead(const char *word)
{
    return find(called, sizeof called / sizeof *called, word);
}

const char *tmli_value_instead(const char *word) { return find(named, sizeof named / sizeof *named, word); }
