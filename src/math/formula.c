/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas in t: a recursive descent into a program for a stack, and the stack machine. Every value carries its first
 * two derivatives by time, so that rates and accelerations of what is written are exact.
 *
 *     sum:     product { (+ | -) product }
 *     product: factor { (* | /) factor }
 *     factor:  (+ | -) factor | power
 *     power:   primary [ ^ factor ]
 *     primary: number | t | pi | name ( sum { , sum } ) | ( sum )  */
#include "math/formula.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vec3.h"

#define DEPTH_MOST 32 /* of brackets and of the stack */

typedef enum Code {
    CODE_NUMBER, /* the next double is it */
    CODE_TIME,
    CODE_ADD,
    CODE_SUBTRACT,
    CODE_MULTIPLY,
    CODE_DIVIDE,
    CODE_POWER,
    CODE_NEGATE,
    CODE_SIN,
    CODE_COS,
    CODE_TAN,
    CODE_ASIN,
    CODE_ACOS,
    CODE_ATAN,
    CODE_SINH,
    CODE_COSH,
    CODE_TANH,
    CODE_EXP,
    CODE_LOG,
    CODE_SQRT,
    CODE_ABS,
    CODE_SIGN,
    CODE_FLOOR,
    CODE_MIN,
    CODE_MAX,
    CODE_ATAN2,
    CODE_MOD,
    CODE_IF,
    CODE_STEP,
    CODE_COUNT
} Code;

/* What a code takes from the stack; each leaves one value. */
static const uint8_t takes[CODE_COUNT] = {
    [CODE_ADD] = 2,  [CODE_SUBTRACT] = 2, [CODE_MULTIPLY] = 2, [CODE_DIVIDE] = 2, [CODE_POWER] = 2, [CODE_NEGATE] = 1,
    [CODE_SIN] = 1,  [CODE_COS] = 1,      [CODE_TAN] = 1,      [CODE_ASIN] = 1,   [CODE_ACOS] = 1,  [CODE_ATAN] = 1,
    [CODE_SINH] = 1, [CODE_COSH] = 1,     [CODE_TANH] = 1,     [CODE_EXP] = 1,    [CODE_LOG] = 1,   [CODE_SQRT] = 1,
    [CODE_ABS] = 1,  [CODE_SIGN] = 1,     [CODE_FLOOR] = 1,    [CODE_MIN] = 2,    [CODE_MAX] = 2,   [CODE_ATAN2] = 2,
    [CODE_MOD] = 2,  [CODE_IF] = 3,       [CODE_STEP] = 5,
};

static const struct {
    const char *name;
    Code code;
} functions[] = {
    {"sin", CODE_SIN},   {"cos", CODE_COS},   {"tan", CODE_TAN},   {"asin", CODE_ASIN},   {"acos", CODE_ACOS},
    {"atan", CODE_ATAN}, {"sinh", CODE_SINH}, {"cosh", CODE_COSH}, {"tanh", CODE_TANH},   {"exp", CODE_EXP},
    {"log", CODE_LOG},   {"sqrt", CODE_SQRT}, {"abs", CODE_ABS},   {"sign", CODE_SIGN},   {"floor", CODE_FLOOR},
    {"min", CODE_MIN},   {"max", CODE_MAX},   {"pow", CODE_POWER}, {"atan2", CODE_ATAN2}, {"mod", CODE_MOD},
    {"if", CODE_IF},     {"step", CODE_STEP},
};

/* ---- from text ---- */

typedef struct Parser {
    const char *text, *at;
    double *program;
    uint32_t length, stack, depth;
    const char *fault;
    const char *place;
} Parser;

static bool fail(Parser *p, const char *fault) {
    if (!p->fault) {
        p->fault = fault;
        p->place = p->at;
    }
    return false;
}

static void skip(Parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') {
        p->at++;
    }
}

static bool emit(Parser *p, Code code, double number) {
    uint32_t size = code == CODE_NUMBER ? 2 : 1;
    if (p->length + size > AFXI_FORMULA_MOST) {
        return fail(p, "its formula is too long");
    }
    p->program[p->length++] = code;
    if (code == CODE_NUMBER) {
        p->program[p->length++] = number;
    }
    p->stack += 1u - takes[code];
    return p->stack <= DEPTH_MOST || fail(p, "its formula is nested too deeply");
}

static bool parse_sum(Parser *p);

static bool parse_call(Parser *p, const char *name, size_t size) {
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        if (strlen(functions[k].name) != size || memcmp(functions[k].name, name, size) != 0) {
            continue;
        }
        p->at++; /* the bracket */
        for (uint8_t n = 0; n < takes[functions[k].code]; n++) {
            skip(p);
            if (n && *p->at != ',') {
                return fail(p, "a function in its formula has too few arguments");
            }
            p->at += n > 0;
            if (!parse_sum(p)) {
                return false;
            }
        }
        skip(p);
        if (*p->at != ')') {
            return fail(p, *p->at == ',' ? "a function in its formula has too many arguments"
                                         : "a bracket in its formula is not closed");
        }
        p->at++;
        return emit(p, functions[k].code, 0);
    }
    p->at = name;
    return fail(p, "its formula has an unknown function");
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool parse_name(Parser *p) {
    const char *name = p->at;
    while (is_letter(*p->at) || is_digit(*p->at)) {
        p->at++;
    }
    size_t size = (size_t)(p->at - name);
    skip(p);
    if (*p->at == '(') {
        return parse_call(p, name, size);
    }
    if (size == 1 && *name == 't') {
        return emit(p, CODE_TIME, 0);
    }
    if (size == 2 && memcmp(name, "pi", 2) == 0) {
        return emit(p, CODE_NUMBER, 0.5 * AFXI_TWO_PI);
    }
    p->at = name;
    return fail(p, "its formula has an unknown name");
}

static bool parse_number(Parser *p) {
    char digits[64], *end; /* a copy: strtod must not see hexadecimals, nor the rest of a long text */
    size_t size = 0;
    const char *at = p->at;
    for (bool exponent = false; size + 1 < sizeof digits; at++) {
        bool sign = (*at == '+' || *at == '-') && size && (digits[size - 1] == 'e' || digits[size - 1] == 'E');
        bool power = (*at == 'e' || *at == 'E') && !exponent;
        if (!is_digit(*at) && *at != '.' && !sign && !power) {
            break;
        }
        exponent |= power;
        digits[size++] = *at == '.' ? *localeconv()->decimal_point : *at; /* what strtod reads here */
    }
    digits[size] = '\0';
    double number = strtod(digits, &end);
    if (*end || !isfinite(number)) {
        return fail(p, "its formula has a number that is not one");
    }
    p->at = at;
    return emit(p, CODE_NUMBER, number);
}

static bool parse_primary(Parser *p) {
    skip(p);
    if (*p->at == '(') {
        p->at++;
        if (!parse_sum(p)) {
            return false;
        }
        skip(p);
        if (*p->at != ')') {
            return fail(p, "a bracket in its formula is not closed");
        }
        p->at++;
        return true;
    }
    if (is_letter(*p->at)) {
        return parse_name(p);
    }
    if (is_digit(*p->at) || *p->at == '.') {
        return parse_number(p);
    }
    return fail(p, *p->at ? "its formula has something that is not expected" : "its formula ends too early");
}

static bool parse_factor(Parser *p) {
    if (++p->depth > DEPTH_MOST) {
        return fail(p, "its formula is nested too deeply");
    }
    skip(p);
    bool fine;
    if (*p->at == '-' || *p->at == '+') {
        bool minus = *p->at++ == '-';
        fine = parse_factor(p) && (!minus || emit(p, CODE_NEGATE, 0));
    } else {
        fine = parse_primary(p);
        skip(p);
        if (fine && *p->at == '^') {
            p->at++;
            fine = parse_factor(p) && emit(p, CODE_POWER, 0);
        }
    }
    p->depth--;
    return fine;
}

/* Operands of one rank from left to right. */
static bool parse_chain(Parser *p, bool operand(Parser *), char one, Code one_code, char two, Code two_code) {
    bool fine = operand(p);
    skip(p);
    while (fine && (*p->at == one || *p->at == two)) {
        Code code = *p->at++ == one ? one_code : two_code;
        fine = operand(p) && emit(p, code, 0);
        skip(p);
    }
    return fine;
}

static bool parse_product(Parser *p) {
    return parse_chain(p, parse_factor, '*', CODE_MULTIPLY, '/', CODE_DIVIDE);
}

static bool parse_sum(Parser *p) {
    if (++p->depth > DEPTH_MOST) {
        return fail(p, "its formula is nested too deeply");
    }
    bool fine = parse_chain(p, parse_product, '+', CODE_ADD, '-', CODE_SUBTRACT);
    p->depth--;
    return fine;
}

uint32_t afxi_formula_compile(const char *text, double *program, const char **out_fault, uint32_t *out_place) {
    Parser parser = {.text = text, .at = text, .program = program};
    bool fine = parse_sum(&parser);
    skip(&parser);
    if (fine && *parser.at) {
        fail(&parser, "its formula has something that is not expected");
    }
    *out_fault = parser.fault;
    if (out_place) {
        *out_place = parser.fault ? (uint32_t)(parser.place - text) : 0;
    }
    return parser.fault ? 0 : parser.length;
}

/* ---- values with derivatives ---- */

/* f(u), by the chain rule. */
static AfxiJet chain(AfxiJet u, double f, double first, double second) {
    return (AfxiJet){f, first * u.rate, first * u.acceleration + second * u.rate * u.rate};
}

static AfxiJet add(AfxiJet a, AfxiJet b, double sign) {
    return (AfxiJet){a.value + sign * b.value, a.rate + sign * b.rate, a.acceleration + sign * b.acceleration};
}

static AfxiJet multiply(AfxiJet a, AfxiJet b) {
    return (AfxiJet){a.value * b.value, a.rate * b.value + a.value * b.rate,
                     a.acceleration * b.value + 2 * a.rate * b.rate + a.value * b.acceleration};
}

static AfxiJet divide(AfxiJet a, AfxiJet b) {
    double x = 1 / b.value;
    return multiply(a, chain(b, x, -x * x, 2 * x * x * x));
}

/* A power that does not change is one of any base; else the base is positive. */
static AfxiJet power(AfxiJet a, AfxiJet b) {
    double n = b.value;
    if (b.rate == 0 && b.acceleration == 0) {
        return chain(a, pow(a.value, n), n == 0 ? 0 : n * pow(a.value, n - 1),
                     n == 0 || n == 1 ? 0 : n * (n - 1) * pow(a.value, n - 2));
    }
    double x = a.value;
    AfxiJet exponent = multiply(b, chain(a, log(x), 1 / x, -1 / (x * x)));
    double e = exp(exponent.value);
    return chain(exponent, e, e, e);
}

static AfxiJet angle_of(AfxiJet y, AfxiJet x) {
    double square = x.value * x.value + y.value * y.value;
    AfxiJet top =
        add(multiply(x, (AfxiJet){y.rate, y.acceleration, 0}), multiply(y, (AfxiJet){x.rate, x.acceleration, 0}), -1);
    double grow = 2 * (x.value * x.rate + y.value * y.rate);
    return (AfxiJet){atan2(y.value, x.value), top.value / square,
                     (top.rate * square - top.value * grow) / (square * square)};
}

/* From h0 up to x0 to h1 from x1 on, by a cubic with level ends. */
static AfxiJet step(const AfxiJet v[5]) {
    if (v[0].value <= v[1].value) {
        return v[2];
    }
    if (v[0].value >= v[3].value) {
        return v[4];
    }
    AfxiJet u = divide(add(v[0], v[1], -1), add(v[3], v[1], -1));
    double s = u.value;
    AfxiJet share = chain(u, s * s * (3 - 2 * s), 6 * s * (1 - s), 6 - 12 * s);
    return add(v[2], multiply(add(v[4], v[2], -1), share), 1);
}

static AfxiJet function(Code code, AfxiJet u) {
    double x = u.value, f;
    switch (code) {
    case CODE_SIN:
        return chain(u, sin(x), cos(x), -sin(x));
    case CODE_COS:
        return chain(u, cos(x), -sin(x), -cos(x));
    case CODE_TAN:
        f = tan(x);
        return chain(u, f, 1 + f * f, 2 * f * (1 + f * f));
    case CODE_ASIN:
        f = 1 / sqrt(1 - x * x);
        return chain(u, asin(x), f, x * f * f * f);
    case CODE_ACOS:
        f = 1 / sqrt(1 - x * x);
        return chain(u, acos(x), -f, -x * f * f * f);
    case CODE_ATAN:
        f = 1 / (1 + x * x);
        return chain(u, atan(x), f, -2 * x * f * f);
    case CODE_SINH:
        return chain(u, sinh(x), cosh(x), sinh(x));
    case CODE_COSH:
        return chain(u, cosh(x), sinh(x), cosh(x));
    case CODE_TANH:
        f = tanh(x);
        return chain(u, f, 1 - f * f, -2 * f * (1 - f * f));
    case CODE_EXP:
        return chain(u, exp(x), exp(x), exp(x));
    case CODE_LOG:
        return chain(u, log(x), 1 / x, -1 / (x * x));
    case CODE_SQRT:
        f = sqrt(x);
        return chain(u, f, 0.5 / f, -0.25 / (f * x));
    case CODE_ABS:
        return x < 0 ? (AfxiJet){-x, -u.rate, -u.acceleration} : u;
    case CODE_SIGN:
        return (AfxiJet){(x > 0) - (x < 0), 0, 0};
    case CODE_FLOOR:
        return (AfxiJet){floor(x), 0, 0};
    default: /* CODE_NEGATE */
        return (AfxiJet){-x, -u.rate, -u.acceleration};
    }
}

static AfxiJet operation(Code code, const AfxiJet *v) {
    switch (code) {
    case CODE_ADD:
        return add(v[0], v[1], 1);
    case CODE_SUBTRACT:
        return add(v[0], v[1], -1);
    case CODE_MULTIPLY:
        return multiply(v[0], v[1]);
    case CODE_DIVIDE:
        return divide(v[0], v[1]);
    case CODE_POWER:
        return power(v[0], v[1]);
    case CODE_MIN:
        return v[0].value <= v[1].value ? v[0] : v[1];
    case CODE_MAX:
        return v[0].value >= v[1].value ? v[0] : v[1];
    case CODE_ATAN2:
        return angle_of(v[0], v[1]);
    case CODE_MOD: /* of the sign of the second, which is taken to stand still */
        return (AfxiJet){v[0].value - v[1].value * floor(v[0].value / v[1].value), v[0].rate, v[0].acceleration};
    case CODE_IF:
        return v[0].value > 0 ? v[1] : v[2];
    case CODE_STEP:
        return step(v);
    default:
        return function(code, v[0]);
    }
}

AfxiJet afxi_formula_run(const double *program, uint32_t length, double t) {
    AfxiJet stack[DEPTH_MOST + 1] = {{0, 0, 0}};
    uint32_t top = 0;
    for (uint32_t k = 0; k < length; k++) {
        Code code = (Code)program[k];
        if (code == CODE_NUMBER) {
            stack[top++] = (AfxiJet){program[++k], 0, 0};
        } else if (code == CODE_TIME) {
            stack[top++] = (AfxiJet){t, 1, 0};
        } else {
            top -= takes[code];
            stack[top] = operation(code, stack + top);
            top++;
        }
    }
    return stack[0];
}
