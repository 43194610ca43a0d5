/* SPDX-License-Identifier: Apache-2.0 */
/* Recording for the report. A flip is a change of sign of a component from clearly one side (a tenth of the largest
 * angular velocity) to the other; its time is that of the zero between, by linear interpolation. */
#include "cli/trace.h"

#include <math.h>

#define CLEARLY 0.1
#define VARIES 1e-3 /* of the largest component: less is not worth a plot */

static void body_omega(const AfxSim *sim, uint32_t body, double out_omega[3]) {
    AfxPose pose = afx_pose_identity();
    AfxTwist twist = {0};
    if (afx_sim_body_pose(sim, body, &pose) == AFX_OK && afx_sim_body_twist(sim, body, &twist) == AFX_OK) {
        AfxQuat back = {pose.rotation.w, -pose.rotation.x, -pose.rotation.y, -pose.rotation.z};
        twist.angular = afx_quat_rotate(back, twist.angular);
    }
    out_omega[0] = twist.angular.x;
    out_omega[1] = twist.angular.y;
    out_omega[2] = twist.angular.z;
}

static void record_row(CliTrace *trace, const AfxSim *sim, const double omega[3]) {
    AfxEnergy energy = {0};
    AfxMomentum momentum = {0};
    afx_sim_energy(sim, &energy);
    afx_sim_momentum(sim, &momentum);
    AfxPose pose = afx_pose_identity();
    if (afx_model_marker_count(afx_sim_model(sim))) {
        afx_sim_marker(sim, 0, &pose.position, NULL);
    } else {
        afx_sim_body_pose(sim, trace->body, &pose);
    }
    trace->rows[trace->row_count++] = (CliTraceRow){
        .time = afx_sim_time(sim),
        .energy = energy.total,
        .kinetic = energy.kinetic,
        .angular = momentum.angular,
        .omega = {omega[0], omega[1], omega[2]},
        .place = pose.position,
        .residual = trace->largest.residual,
        .depth = trace->largest.depth,
        .contacts = trace->largest.contacts,
        .iterations = trace->largest.iterations,
    };
    trace->largest = (CliTraceRow){0};
}

static void record_flip(CliTraceFlips *flips, double before_time, double time, double value, double scale) {
    if ((value < 0) != (flips->before < 0) && value != flips->before) {
        flips->crossing = before_time + (time - before_time) * flips->before / (flips->before - value);
    }
    flips->before = value;
    if (fabs(value) > CLEARLY * scale) {
        double side = value < 0 ? -1 : 1;
        if (flips->side == -side) {
            flips->first = flips->count++ == 0 ? flips->crossing : flips->first;
            flips->last = flips->crossing;
        }
        flips->side = side;
    }
}

static void record_columns(CliTrace *trace, const double omega[3], uint64_t step, double time) {
    uint64_t column = (uint64_t)((double)step / (double)(trace->steps + 1) * CLI_TRACE_COLUMNS);
    for (int k = 0; k < 3; ++k) {
        double value = omega[k];
        double *low = &trace->low[k][column], *high = &trace->high[k][column];
        *low = value < *low ? value : *low;
        *high = value > *high ? value : *high;
        trace->scale = fmax(trace->scale, fabs(value));
    }
    for (int k = 0; k < 3; ++k) {
        if (step == 0) {
            trace->start[k] = trace->flips[k].before = omega[k];
        }
        record_flip(&trace->flips[k], trace->time, time, omega[k], trace->scale);
    }
    trace->time = time;
}

void cli_trace_begin(CliTrace *out_trace, const AfxSim *sim, uint64_t steps) {
    const AfxModel *model = afx_sim_model(sim);
    *out_trace = (CliTrace){
        .steps = steps, .single = afx_model_body_count(model) == 1, .jointed = afx_model_joint_count(model) > 0};
    for (uint32_t k = afx_model_body_count(model); k-- > 0;) {
        out_trace->body = afx_model_body_kind(model, k) == AFX_BODY_DYNAMIC ? k : out_trace->body;
    }
    for (int k = 0; k < 3; ++k) {
        for (int column = 0; column < CLI_TRACE_COLUMNS; ++column) {
            out_trace->low[k][column] = INFINITY;
            out_trace->high[k][column] = -INFINITY;
        }
    }
    cli_trace_record(out_trace, sim, 0, NULL);
}

static void take_largest(CliTraceRow *largest, const AfxStepReport *report) {
    largest->residual = fmax(largest->residual, report->residual);
    largest->depth = fmax(largest->depth, report->depth);
    largest->contacts = report->contacts > largest->contacts ? report->contacts : largest->contacts;
    largest->iterations = report->solves > largest->iterations ? report->solves : largest->iterations;
}

void cli_trace_record(CliTrace *trace, const AfxSim *sim, uint64_t step, const AfxStepReport *report) {
    if (report) {
        take_largest(&trace->largest, report);
    }
    double due = nearbyint((double)trace->row_count * (double)trace->steps / (CLI_TRACE_ROWS - 1));
    bool row = trace->row_count < CLI_TRACE_ROWS && (double)step >= due;
    if (!row && !trace->single) {
        return;
    }
    double omega[3];
    body_omega(sim, trace->body, omega);
    if (row) {
        record_row(trace, sim, omega);
    }
    if (trace->single) {
        record_columns(trace, omega, step, afx_sim_time(sim));
    }
}

int cli_trace_component(const CliTrace *trace) {
    int largest = 0, liveliest = 0;
    double ranges[3] = {0};
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int column = 0; column < CLI_TRACE_COLUMNS; ++column) {
            low = fmin(low, trace->low[k][column]);
            high = fmax(high, trace->high[k][column]);
        }
        ranges[k] = high - low;
        largest = fabs(trace->start[k]) > fabs(trace->start[largest]) ? k : largest;
        liveliest = ranges[k] > ranges[liveliest] ? k : liveliest;
    }
    if (!trace->single || !(ranges[liveliest] > VARIES * trace->scale)) {
        return -1;
    }
    return trace->flips[largest].count ? largest : liveliest;
}
