/* Reads "count cwnd srtt cwnd srtt ..." a line, writes lia_increase() a line. */
#include <stdio.h>
#include <linux/types.h>
#include "lia.h"

int main(void)
{
	struct coupled_path paths[COUPLED_PATHS_MAX];
	unsigned int count, i;

	while (scanf("%u", &count) == 1 && count <= COUPLED_PATHS_MAX) {
		for (i = 0; i < count; i++)
			if (scanf("%u %u", &paths[i].cwnd, &paths[i].srtt) != 2)
				return 1;
		printf("%lld\n", (long long)lia_increase(paths, count));
	}
	return 0;
}
