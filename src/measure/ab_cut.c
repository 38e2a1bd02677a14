// Cuts the stretches of A and B into groups that are resampled whole.
// Must not know what is in them.
#include "measure/ab_cut.h"

#define TURNS_LEAST 2
#define PARTS 8 // of few rounds: longer ones depend less on their neighbours, more of them make narrower intervals

static int
rounds_shared(const struct ab_side *a, const struct ab_side *b)
{
	int n = 0, j = 0;
	for (int i = 0; i < a->blocks; i++) {
		if (i && a->block[i].round == a->block[i - 1].round)
			continue;
		while (j < b->blocks && b->block[j].round < a->block[i].round)
			j++;
		n += j < b->blocks && b->block[j].round == a->block[i].round;
	}
	return n;
}

static bool
has_round(const struct ab_side *s, int round)
{
	for (int i = 0; i < s->blocks; i++)
		if (s->block[i].round == round)
			return true;
	return false;
}

// The group of each block, -1: left out. A round is a group; many rounds share one, few are cut into parts by time.
static void
cut(const struct ab_side *side, const struct ab_side *other, int rounds, int groups, int *group)
{
	int parts = rounds < groups ? groups / rounds : 1, nth = -1;
	double length = 0, at = 0;
	for (int i = 0; i < side->blocks; i++) {
		int round = side->block[i].round;
		if (!has_round(other, round)) {
			group[i] = -1;
			continue;
		}
		if (i == 0 || round != side->block[i - 1].round) {
			nth++;
			length = at = 0;
			for (int j = i; j < side->blocks && side->block[j].round == round; j++)
				length += side->block[j].s;
		}
		int part = length > 0 ? (int)((at + side->block[i].s / 2) / length * parts) : 0;
		at += side->block[i].s;
		if (part >= parts)
			part = parts - 1;
		group[i] = parts > 1 ? nth * parts + part : (int)((long)nth * groups / rounds);
	}
}

// How many groups R rounds make: of two rounds each or a multiple where there are many, so that A B B A stays whole.
static int
groups_of_rounds(int rounds)
{
	if (rounds > AB_GROUPS) {
		int each = (rounds + AB_GROUPS - 1) / AB_GROUPS;
		each += each % 2;
		return rounds / each;
	}
	return rounds >= AB_GROUPS_LEAST ? rounds : (PARTS + rounds - 1) / rounds * rounds;
}

static bool
all_filled(const int *group[2], const struct ab_side side[2], int groups)
{
	for (int k = 0; k < 2; k++) {
		bool seen[AB_GROUPS] = {false};
		int n = 0;
		for (int i = 0; i < side[k].blocks; i++)
			if (group[k][i] >= 0 && !seen[group[k][i]]) {
				seen[group[k][i]] = true;
				n++;
			}
		if (n < groups)
			return false;
	}
	return true;
}

int
ab_cut(const struct ab_side side[2], int *group[2], struct ab_design *d)
{
	int rounds = rounds_shared(&side[0], &side[1]), groups = rounds ? groups_of_rounds(rounds) : 0;
	for (; groups > 0; groups = groups > rounds ? groups - rounds : 0) {
		for (int k = 0; k < 2; k++)
			cut(&side[k], &side[!k], rounds, groups, group[k]);
		if (all_filled((const int *[]){group[0], group[1]}, side, groups))
			break;
	}
	*d = (struct ab_design){.groups = groups, .turns = rounds >= TURNS_LEAST};
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < side[k].blocks; i++)
			if (groups && group[k][i] >= 0)
				d->s[k] += side[k].block[i].s;
	return groups;
}
