/* SPDX-License-Identifier: GPL-2.0 */
/* The sysctls net.mptcp.* that are added to Linux, with their defaults and ranges.
 *
 * This table is the only place where they stand. lab.h makes the enumerators of it,
 * lab.c the sysctls, and mpbench/spec/knobs.py the ranges of an experiment file, which
 * reads the lines that begin with LAB_PARAMETER. The header is included several times,
 * each time with another definition of
 *
 *	LAB_PARAMETER(enumerator, name, default, minimum, maximum)
 */

/* The smallest ssthresh after a loss, in segments, while a connection has more than
 * one coupled subflow; 0 leaves it to the controller.
 */
LAB_PARAMETER(MIN_SSTHRESH, coupled_min_ssthresh, 0, 0, 255)

/* EWTCP's a in thousandths; 0 stands for 1 / sqrt(N). The maximum of this a and of the
 * next one keeps an increase times 2^20 segments acknowledged at once within 63 bits.
 */
LAB_PARAMETER(EWTCP_A, ewtcp_a_permille, 0, 0, 4000)

/* SEMICOUPLED's a in thousandths. */
LAB_PARAMETER(SEMICOUPLED_A, semicoupled_a_permille, 1000, 1, 4000)

/* 1: coupled and semicoupled use the formulas of the Balia paper. */
LAB_PARAMETER(BALIA_FORMS, coupled_balia_forms, 0, 0, 1)

/* The weight of the last interval between losses in D-LIA's decrease, in thousandths. */
LAB_PARAMETER(DLIA_GAIN, dlia_gain_permille, 250, 0, 1000)

/* How far bandwidths that count as alike differ in cmpbbr, and the least benefit of several
 * subflows, as a part of the largest bandwidth; both in thousandths. The slowest subflow is
 * closed after that many gain cycles without the benefit.
 */
LAB_PARAMETER(CMPBBR_SIMILARITY, cmpbbr_similarity_permille, 200, 0, 1000)
LAB_PARAMETER(CMPBBR_BENEFIT, cmpbbr_benefit_permille, 600, 0, 1000)
LAB_PARAMETER(CMPBBR_CYCLES, cmpbbr_cycles, 5, 1, 1000)

/* 1: lia grows as in MPTCP for Linux 0.91 instead of as in the paper. */
LAB_PARAMETER(LIA_RULE, lia_rule, 0, 0, 1)

/* 1: balia's decrease is that of MPTCP for Linux 0.91 instead of the paper's. */
LAB_PARAMETER(BALIA_RULE, balia_rule, 0, 0, 1)

/* 1: wvegas works as in MPTCP for Linux 0.91 instead of as published. */
LAB_PARAMETER(WVEGAS_RULE, wvegas_rule, 0, 0, 1)

/* 1: in congestion avoidance a coupled controller grows per acknowledgement instead of
 * per segment acknowledged, as in MPTCP for Linux up to 0.91.
 */
LAB_PARAMETER(COUPLED_COUNT_ACKS, coupled_count_acks, 0, 0, 1)

/* 1: slow start goes on where the window is equal to ssthresh, as in Linux before 4.3.
 * The first acknowledgement after a recovery then adds a segment.
 */
LAB_PARAMETER(SSTHRESH_INCLUSIVE, slow_start_at_ssthresh, 0, 0, 1)

/* 1: reno and the coupled controllers grow per acknowledgement instead of per segment
 * acknowledged, also in slow start, as in Linux 3.11 (MPTCP 0.88).
 */
LAB_PARAMETER(COUNT_ACKS, count_acks, 0, 0, 1)

/* The packets that a wVegas connection aims to keep in queues. */
LAB_PARAMETER(WVEGAS_ALPHA, wvegas_total_alpha, 10, 1, 10000)

/* The packets in queues at which wVegas leaves slow start. */
LAB_PARAMETER(WVEGAS_GAMMA, wvegas_gamma, 1, 1, 1000)

/* 1: opportunistic retransmission. */
LAB_PARAMETER(LOWRTT_REINJECT, lowrtt_reinject, 0, 0, 1)

/* 1: penalisation, which goes with opportunistic retransmission. */
LAB_PARAMETER(LOWRTT_PENALISE, lowrtt_penalise, 0, 0, 1)

/* 1: penalisation does not change ssthresh during slow start. */
LAB_PARAMETER(LOWRTT_SPARE, lowrtt_spare_slow_start, 0, 0, 1)

/* 1: both work as in MPTCP for Linux 0.91 instead of as in the paper. */
LAB_PARAMETER(LOWRTT_RULE, lowrtt_rule, 0, 0, 1)

/* The segments that a subflow gets per turn. */
LAB_PARAMETER(ROUNDROBIN_SEGMENTS, roundrobin_segments, 1, 1, 1000)

/* The subflows that a client opens over the addresses of the first one, including the
 * first one; with 0 or 1 it opens no further subflow.
 */
LAB_PARAMETER(NDIFFPORTS, ndiffports, 0, 0, 8)

/* 1: bbr sends packet by packet; 0: in bursts of about 1 ms, as Linux paces. mpcc always
 * sends packet by packet.
 */
LAB_PARAMETER(BBR_PACKETS, bbr_packet_pacing, 0, 0, 1)

/* MPCC's utility: 0 is MPCC-loss, where gamma is 0; 1 is MPCC-latency. */
LAB_PARAMETER(MPCC_VARIANT, mpcc_variant, 0, 0, 1)

/* The unit of the rates in MPCC's utility: 0 is bytes/s, 1 is Mbit/s. */
LAB_PARAMETER(MPCC_UNIT, mpcc_unit, 0, 0, 1)

/* The weights of loss and of the slope of the round-trip time, in thousandths. */
LAB_PARAMETER(MPCC_BETA, mpcc_beta_permille, 11350, 0, 100000)
LAB_PARAMETER(MPCC_GAMMA, mpcc_gamma_permille, 1000, 0, 1000000)

/* How long a monitor interval is, in thousandths of the smoothed round-trip time. */
LAB_PARAMETER(MPCC_INTERVAL, mpcc_interval_permille, 1500, 500, 10000)

/* How far probing moves the rate, in thousandths of the connection's total rate. */
LAB_PARAMETER(MPCC_PROBE, mpcc_probe_permille, 50, 1, 500)

/* The step per unit of the gradient, in kbit/s. */
LAB_PARAMETER(MPCC_THETA, mpcc_theta_kbps, 1000, 1, 100000)

/* What the factor of the step grows by from step to step, in thousandths. */
LAB_PARAMETER(MPCC_AMPLIFIER, mpcc_amplifier_permille, 2000, 0, 10000)

/* The largest first step, and how much more each further one may be, in thousandths of
 * the connection's total rate.
 */
LAB_PARAMETER(MPCC_BOUND, mpcc_bound_permille, 50, 1, 1000)

/* The smallest step, in kbit/s. */
LAB_PARAMETER(MPCC_LEAST_STEP, mpcc_least_step_kbps, 500, 0, 100000)

/* The first rate and the smallest rate of a subflow, in kbit/s. */
LAB_PARAMETER(MPCC_FIRST_RATE, mpcc_first_rate_kbps, 4000, 100, 1000000)
LAB_PARAMETER(MPCC_LEAST_RATE, mpcc_least_rate_kbps, 200, 10, 1000000)

/* A slope of the round-trip time below this counts as 0, in thousandths. */
LAB_PARAMETER(MPCC_SLOPE, mpcc_slope_permille, 30, 0, 1000)

/* A loss below this counts as 0 in slow start, in thousandths. */
LAB_PARAMETER(MPCC_START_LOSS, mpcc_start_loss_permille, 150, 0, 1000)

/* Slow start ends when less than this was delivered, in thousandths of the rate. */
LAB_PARAMETER(MPCC_START_DELIVERED, mpcc_start_delivered_permille, 900, 0, 1000)

/* An interval in which less than this was sent, in thousandths of the rate, is
 * discarded.
 */
LAB_PARAMETER(MPCC_SENT, mpcc_sent_permille, 800, 0, 1000)

/* The data that "paced" queues on a subflow, in thousandths of the pacing rate times
 * the round-trip time.
 */
LAB_PARAMETER(PACED_SHARE, paced_share_permille, 100, 1, 10000)

/* lambda at the start, which corrects BLEST's estimate, and its step per round trip, in
 * thousandths.
 */
LAB_PARAMETER(BLEST_LAMBDA, blest_lambda_permille, 1000, 0, 100000)
LAB_PARAMETER(BLEST_STEP, blest_step_permille, 10, 0, 10000)

/* How much longer ECF goes on waiting, in thousandths of the slow round trip. */
LAB_PARAMETER(ECF_BETA, ecf_beta_permille, 250, 0, 100000)

/* The segments of a turn of the subflows of paths 1 to 4 under "weighted", and 1: wait for
 * the subflow whose turn it is.
 */
LAB_PARAMETER(WEIGHT1, weighted_weight1, 1, 1, 1000)
LAB_PARAMETER(WEIGHT2, weighted_weight2, 1, 1, 1000)
LAB_PARAMETER(WEIGHT3, weighted_weight3, 1, 1, 1000)
LAB_PARAMETER(WEIGHT4, weighted_weight4, 1, 1, 1000)
LAB_PARAMETER(WEIGHTED_STRICT, weighted_strict, 0, 0, 1)

/* 1: when all data is sent, an idle subflow sends the oldest data again. */
LAB_PARAMETER(SCHED_TAIL, scheduler_tail, 0, 0, 1)

/* The part of its error by which STMS corrects its gap, in thousandths. */
LAB_PARAMETER(STMS_GAIN, stms_gain_permille, 125, 0, 1000)

/* The unit of DAPS's round-trip times, in milliseconds. */
LAB_PARAMETER(DAPS_UNIT, daps_unit_ms, 10, 1, 1000)
