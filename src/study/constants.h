// Constants of studies; see base/constants.h.
#ifndef TMLI_STUDY_CONSTANTS_H
#define TMLI_STUDY_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

enum {
    // Most members of a chunk [-].
    // Origin: CHUNK_SECONDS of the shortest members that are worth a process, 0.1 ms.
    TMLI_STUDY_CHUNK = 1024,
    // Pause between two looks for messages [ns].
    // Origin: much less than a chunk, and hardly a load on the processor.
    TMLI_STUDY_NAP_NS = 50000,
    // A chunk is at most this part of what is left per process [-]: all processes end together.
    // Origin: guided self-scheduling; the last chunks are single members.
    TMLI_STUDY_SHARES = 4
};

// [s] Duration of a chunk. Longer: process 0 serves more processes; shorter: less is lost with a process.
// Origin: the model of cost in docs/cluster.md: 1000 processes with members of 10 ms are busy for more than
// 90 % of the time.
TMLI_CONSTANT(CHUNK_SECONDS, 0.1)

// [1] A curve is as good as its five samples in a part of a step if the parabola through three of them misses
// the others by less than this share of their range. Else the part is halved.
// Origin: between the samples, a quarter of the part apart, the error of such parabolas is 1/8 of that, and
// that of Boole's rule much less.
#define ROUGH_SHARE TMLI_SMALL_SHARE

// [1] Share of the tolerance that a kink or a jump within a curve may take of its integral.
// Origin: ten to a hundred of them are common, each with half of it in the mean.
#define SINGLE_SHARE TMLI_SLIGHT_SHARE

// [1] Third over second differences of samples from which on they show a kink.
// Origin: that of a smooth curve is the phase between samples, and 1 where the second ones pass 0.
#define KINK_SHARE TMLI_EVEN_SHARE

// [1] Least factor by which halving must reduce the error of an integral of a smooth curve.
// Origin: that of Boole's rule falls by 64, that of noise does not.
#define CONVERGES TMLI_FOURFOLD

// [1] Nothing of a curve below this share of its range is examined.
// Origin: below every tolerance of a run.
#define CURVE_NOISE TMLI_ROOT_ROUNDOFF

// [1] A peak is found if the next sample would be nearer than this share of the part of the step.
// Origin: the value of a peak is quadratic in the error of its time.
#define PEAK_TIME_SHARE TMLI_UNSEEN

// [1] Distance of the five samples from which the time of a peak is found, over that of the samples of a
// step.
// Origin: the polynomial through them misses the slope by a few 1e-12 of that of a part, and round-off of the
// values as little.
#define TOP_SAMPLES_SHARE TMLI_SLIGHT_SHARE

#endif
