// Sentences about redundant constraints, for the check and for the closing report of a run.
#ifndef TMLI_ANALYSIS_RANK_REDUNDANCY_H
#define TMLI_ANALYSIS_RANK_REDUNDANCY_H

#include "analysis/rank/dependence.h"
#include "model/model.h"

/** "hinge_C: rotation about x and y are redundant with hinge_A and hinge_B; their reactions are shared
 * (...)": about the dependent rows of one joint. nearby: as in tmli_reactions_classify. least: shared
 * reactions are those of least norm. buf stays empty if the joint has none. False: memory is exhausted. */
bool tmli_redundancy_sentence(const tml_model *model, const tmli_dependence *here,
                              const tmli_dependence *nearby, int joint, bool least, char *buf, size_t size);

#endif
