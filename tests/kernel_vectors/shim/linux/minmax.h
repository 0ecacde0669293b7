/* As in the kernel; -Wextra refuses to compare signed with unsigned. */
#pragma once
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
