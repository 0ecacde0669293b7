// SPDX-License-Identifier: GPL-2.0
/* Reads lines of the form "law parameter count cwnd srtt interloss joined cwnd ...", and
 * writes one number per line. Laws are named after the functions. For wvegas_diff and
 * wvegas_drained the first path is "cwnd base rtt 0", for wvegas_slow_start
 * "cwnd ssthresh acked 0". For cmpbbr a path is "bandwidth 1 delivery 1". For dlia_beta and dlia_kept the paths are loss events.
 */
#include <stdio.h>
#include <string.h>
#include <linux/types.h>
#include "balia.h"
#include "cmpbbr.h"
#include "coupled.h"
#include "dlia.h"
#include "ewtcp.h"
#include "lia.h"
#include "lia_rfc6356.h"
#include "olia.h"
#include "semicoupled.h"
#include "wvegas.h"

typedef s64 (*law_t)(const struct coupled_path *, unsigned int, u32);

static s64 keep_balia(const struct coupled_path *p, unsigned int n, u32 parameter)
{
	return balia_keep(p, n, parameter);
}

static s64 keep_coupled(const struct coupled_path *p, unsigned int n, u32 parameter)
{
	return fully_coupled_keep(p, n, parameter);
}

static s64 alpha_wvegas(const struct coupled_path *p, unsigned int n, u32 parameter)
{
	return wvegas_alpha(p, n, parameter);
}

static s64 diff_wvegas(const struct coupled_path *p, unsigned int n, u32 parameter)
{
	return wvegas_diff(p->cwnd, p->srtt, p->interloss);
}

static s64 drained_wvegas(const struct coupled_path *p, unsigned int n, u32 parameter)
{
	return wvegas_drained(p->cwnd, p->srtt, p->interloss);
}

static s64 slow_start_wvegas(const struct coupled_path *p, unsigned int n, u32 parameter)
{
	return wvegas_slow_start_v091(p->cwnd, p->srtt, p->interloss);
}

static struct dlia losses_dlia(const struct coupled_path *p, unsigned int n, u32 gain)
{
	struct dlia last = { 0, 0 };

	for (unsigned int i = 0; i < n; i++) {
		last.beta = dlia_beta(&last, p[i].cwnd, gain);
		last.window = max(dlia_window(p[i].cwnd, last.beta), 2U);
	}
	return last;
}

static s64 beta_dlia(const struct coupled_path *p, unsigned int n, u32 gain)
{
	return losses_dlia(p, n, gain).beta;
}

static s64 kept_dlia(const struct coupled_path *p, unsigned int n, u32 gain)
{
	return losses_dlia(p, n, gain).window;
}

static void bandwidths(const struct coupled_path *p, unsigned int n, u32 *bw)
{
	for (unsigned int i = 0; i < n; i++)
		bw[i] = p[i].cwnd;
}

static s64 alike_cmpbbr(const struct coupled_path *p, unsigned int n, u32 permille)
{
	u32 bw[COUPLED_PATHS_MAX];

	bandwidths(p, n, bw);
	return cmpbbr_alike(bw, n, permille);
}

static s64 fruitless_cmpbbr(const struct coupled_path *p, unsigned int n, u32 permille)
{
	u32 bw[COUPLED_PATHS_MAX];

	bandwidths(p, n, bw);
	return 2 * cmpbbr_no_benefit(bw, n, p[0].interloss, permille) +
	       cmpbbr_slowest(bw, n);
}

static s64 divisor_cmpbbr(const struct coupled_path *p, unsigned int n, u32 unused)
{
	return cmpbbr_divisor(p[0].cwnd, p[1].cwnd);
}

static s64 delivery_cmpbbr(const struct coupled_path *p, unsigned int n, u32 unused)
{
	return cmpbbr_delivery(p[0].cwnd, p[0].interloss);
}

static const struct {
	const char *name;
	law_t law;
} laws[] = {
	{ "lia", lia_increase }, { "lia_alpha", lia_alpha },
	{ "lia_rfc6356", lia_rfc6356_increase },
	{ "lia_rfc6356_alpha", lia_rfc6356_alpha },
	{ "olia", olia_increase }, { "olia_alpha", olia_alpha },
	{ "balia", balia_increase }, { "balia_alpha", balia_alpha },
	{ "balia_keep", keep_balia },
	{ "cmpbbr_alike", alike_cmpbbr }, { "cmpbbr_fruitless", fruitless_cmpbbr },
	{ "cmpbbr_divisor", divisor_cmpbbr }, { "cmpbbr_delivery", delivery_cmpbbr },
	{ "dlia_beta", beta_dlia }, { "dlia_kept", kept_dlia },
	{ "ewtcp", ewtcp_increase }, { "ewtcp_alpha", ewtcp_alpha },
	{ "semicoupled", semicoupled_increase },
	{ "semicoupled_alpha", semicoupled_alpha },
	{ "coupled", fully_coupled_increase }, { "coupled_keep", keep_coupled },
	{ "wvegas_alpha", alpha_wvegas }, { "wvegas_diff", diff_wvegas },
	{ "wvegas_drained", drained_wvegas },
	{ "wvegas_slow_start", slow_start_wvegas },
};

static law_t find(const char *name)
{
	for (unsigned int i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
		if (!strcmp(laws[i].name, name))
			return laws[i].law;
	return NULL;
}

int main(void)
{
	struct coupled_path paths[COUPLED_PATHS_MAX];
	unsigned int count, parameter, i;
	unsigned long long interloss;
	char name[32];

	while (scanf("%31s %u %u", name, &parameter, &count) == 3) {
		law_t law = find(name);

		if (!law || count > COUPLED_PATHS_MAX)
			return 1;
		for (i = 0; i < count; i++) {
			if (scanf("%u %u %llu %u", &paths[i].cwnd, &paths[i].srtt,
				  &interloss, &paths[i].joined) != 4)
				return 1;
			paths[i].interloss = interloss;
		}
		printf("%lld\n", (long long)law(paths, count, parameter));
	}
	return 0;
}
