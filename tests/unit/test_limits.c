// How much memory and disk there is to use without harm, CPU shares: on this machine and as others tell it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/clock.h"
#include "fake_root.h"
#include "sys/cpu.h"
#include "sys/limits.h"
#include "sys/mounts.h"

#define V2_MOUNT "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNT "31 24 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" \
	"32 24 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"

static void
expect(const char *root, uint64_t limit, uint64_t left)
{
	struct memory_room m;
	cgroup_room_read(root, &m);
	assert_int_equal(m.cgroup_limit, limit);
	assert_int_equal(m.cgroup_left, left);
}

static void
no_group_no_limit(void **state)
{
	(void)state;
	char root[128];
	root_new(root);
	expect(root, UINT64_MAX, UINT64_MAX);
	root_put(root, "/proc/self/cgroup", "0::/a/b\n");
	expect(root, UINT64_MAX, UINT64_MAX);
	root_put(root, "/proc/self/mountinfo", V2_MOUNT);
	expect(root, UINT64_MAX, UINT64_MAX);
	root_put(root, "/sys/fs/cgroup/a/b/memory.max", "max\n");
	root_put(root, "/sys/fs/cgroup/a/b/memory.current", "5000\n");
	expect(root, UINT64_MAX, UINT64_MAX);
	root_remove(root);
}

static void
version_2_with_limits_on_the_way_up(void **state)
{
	(void)state;
	char root[128];
	root_new(root);
	root_put(root, "/proc/self/cgroup", "0::/a/b c/d\n");
	root_put(root, "/proc/self/mountinfo", V2_MOUNT);
	root_put(root, "/sys/fs/cgroup/a/b c/d/memory.max", "max\n");
	root_put(root, "/sys/fs/cgroup/a/b c/memory.max", "1000000\n");
	root_put(root, "/sys/fs/cgroup/a/b c/memory.current", "400000\n");
	expect(root, 1000000, 600000);
	// the parent is wider but nearly full
	root_put(root, "/sys/fs/cgroup/a/memory.max", "2000000\n");
	root_put(root, "/sys/fs/cgroup/a/memory.current", "1900000\n");
	expect(root, 1000000, 100000);
	// but of that, 300000 are file pages that nobody used lately
	root_put(root, "/sys/fs/cgroup/a/memory.stat", "anon 5\nactive_file 7\ninactive_file 300000\nx 1\n");
	expect(root, 1000000, 400000);
	// a soft limit is one too
	root_put(root, "/sys/fs/cgroup/a/b c/memory.high", "500000\n");
	expect(root, 500000, 100000);
	// over the limit: nothing left, not a huge number
	root_put(root, "/sys/fs/cgroup/a/b c/memory.current", "600000\n");
	expect(root, 500000, 0);
	root_remove(root);
}

static void
version_1_with_limits_on_the_way_up(void **state)
{
	(void)state;
	char root[128];
	root_new(root);
	root_put(root, "/proc/self/cgroup", "9:name=systemd:/\n4:hugetlb,memory:/x/y\n1:cpu:/z\n0::/\n");
	root_put(root, "/proc/self/mountinfo", V2_MOUNT V1_MOUNT);
	root_put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	root_put(root, "/sys/fs/cgroup/memory/x/y/memory.limit_in_bytes", "9223372036854771712\n");
	expect(root, UINT64_MAX, UINT64_MAX);
	root_put(root, "/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "268435456\n");
	root_put(root, "/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "100000000\n");
	root_put(root, "/sys/fs/cgroup/memory/x/memory.stat", "cache 1\ninactive_file 3\ntotal_inactive_file 1000000\n");
	expect(root, 268435456, 268435456 - 99000000);
	root_remove(root);
}

static void
inside_a_container(void **state)
{
	(void)state;
	char root[128];
	// version 1 without a name space: the mount begins at our group, our path is told from the machine's top
	root_new(root);
	root_put(root, "/proc/self/cgroup", "4:memory:/docker/abc/sub\n");
	root_put(root, "/proc/self/mountinfo", "31 24 0:27 /docker/abc /cg/mem\\040ory rw - cgroup cgroup rw,memory\n");
	root_put(root, "/cg/mem ory/memory.limit_in_bytes", "1000\n");
	root_put(root, "/cg/mem ory/memory.usage_in_bytes", "10\n");
	root_put(root, "/cg/mem ory/sub/memory.limit_in_bytes", "2000\n");
	root_put(root, "/cg/mem ory/sub/memory.usage_in_bytes", "1500\n");
	expect(root, 1000, 500);
	// moved out of our view
	root_put(root, "/proc/self/cgroup", "4:memory:/../../elsewhere\n");
	expect(root, 1000, 990);
	root_remove(root);
}

static void
mounts_as_the_kernel_writes_them(void **state)
{
	(void)state;
	char root[128], type[24];
	bool in_memory;
	root_new(root);
	root_put(root, "/proc/self/mountinfo",
	    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
	    "broken line\n"
	    "23 22 0:5 / /dev rw - devtmpfs udev rw,size=1\n"
	    "40 22 0:40 / /tmp rw - tmpfs tmpfs rw\n"
	    "41 40 8:2 / /tmp/big\\134disk rw master:1 propagate_from:2 - xfs /dev/sdb rw\n"
	    "42 22 0:41 / /over rw - overlay overlay rw,lowerdir=/l,upperdir=/tmp/up,workdir=/tmp/w\n"
	    "43 22 0:42 / /over2 rw - overlay overlay rw,lowerdir=/l,upperdir=/var/up,workdir=/var/w\n"
	    "44 22 0:43 / /twice rw - ext4 /dev/sdc rw\n"
	    "45 22 0:44 / /twice rw - tmpfs tmpfs rw\n");
	static const struct {
		const char *path, *type;
		bool in_memory;
	} row[] = {{"/home/x", "ext4", false}, {"/tmp", "tmpfs", true}, {"/tmp/y", "tmpfs", true}, {"/tmpx", "ext4", false},
	    {"/tmp/big\\disk/z", "xfs", false}, {"/dev/shm2", "devtmpfs", true}, {"/over/a", "overlay", true},
	    {"/over2/a", "overlay", false}, {"/twice", "tmpfs", true}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		mount_find(root, row[i].path, type, sizeof type, &in_memory);
		assert_string_equal(type, row[i].type);
		assert_int_equal(in_memory, row[i].in_memory);
	}
	root_remove(root);
	mount_find("/nowhere", "/x", type, sizeof type, &in_memory);
	assert_string_equal(type, "unknown");
	assert_false(in_memory);
}

static void
this_machine(void **state)
{
	(void)state;
	struct memory_room m;
	struct disk_room d;
	struct err e;
	assert_int_equal(memory_room_read(&m, &e), 0);
	assert_true(m.ram > 16 << 20 && m.available <= m.ram && m.swap_free <= m.swap_total);
	assert_true(m.cgroup_limit == UINT64_MAX || m.cgroup_limit > 0);
	assert_int_equal(disk_room_read("/", &d, &e), 0);
	assert_true(d.total_bytes >= d.free_bytes);
	assert_true(d.type[0] != '\0');
	assert_int_equal(disk_room_read("/dev/shm", &d, &e), 0);
	assert_string_equal(d.type, "tmpfs");
	assert_true(d.in_memory);
	assert_int_equal(disk_room_read("/no/such/folder", &d, &e), -1);
	assert_non_null(strstr(e.text, "/no/such/folder: "));
}

static double
sum(const struct cpu_pct *c)
{
	return c->user + c->system + c->iowait + c->irq + c->steal + c->idle;
}

static void
shares_of_cpu_time(void **state)
{
	(void)state;
	struct cpu_ticks a = {1000, 1000, 1000, 1000, 1000, 1000}, b = {1010, 1020, 1005, 1001, 1004, 1060};
	struct cpu_pct p;
	cpu_pct_between(&a, &b, &p);
	assert_true(fabs(p.user - 10) < 1e-9 && fabs(p.system - 20) < 1e-9 && fabs(p.iowait - 5) < 1e-9);
	assert_true(fabs(p.irq - 1) < 1e-9 && fabs(p.steal - 4) < 1e-9 && fabs(p.idle - 60) < 1e-9);
	assert_true(fabs(cpu_busy(&p) - 35) < 1e-9); // iowait is not busy
	// a counter that steps back is no time, and takes no other below 0 or above 100
	b.iowait = 0;
	cpu_pct_between(&a, &b, &p);
	assert_true(p.iowait == 0 && fabs(sum(&p) - 100) < 1e-9 && p.idle < 100);
	cpu_pct_between(&b, &a, &p);
	assert_true(p.iowait == 100 && p.user == 0);
	cpu_pct_between(&a, &a, &p);
	assert_true(isnan(p.user) && isnan(p.idle));
}

static void
shares_of_this_machine(void **state)
{
	(void)state;
	struct err e;
	struct cpu_sampler *s = cpu_sampler_new(&e);
	assert_non_null(s);
	struct cpu_pct total, each[256];
	int count = -1;
	assert_int_equal(cpu_sample(s, &total, each, 256, &count), 0);
	assert_true(isnan(total.idle)); // nothing to compare with yet
	assert_true(count >= 1);
	// at once again: no tick may have gone by; then a share that is not idle
	volatile unsigned x = 0;
	double busy = 0;
	for (int64_t until = clock_now_ns() + 20 * NS_PER_S; busy == 0 && clock_now_ns() < until;) {
		for (int i = 0; i < 50000000; i++)
			x += (unsigned)i;
		assert_int_equal(cpu_sample(s, &total, each, 256, &count), 0);
		if (isnan(total.idle))
			continue;
		assert_true(fabs(sum(&total) - 100) < 1e-6);
		busy = cpu_busy(&total);
	}
	assert_true(busy > 0 && busy <= 100 + 1e-9);
	assert_int_equal(cpu_sample(s, &total, each, 1, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(cpu_sample(s, &total, NULL, 0, NULL), 0);
	cpu_sampler_free(s);
	cpu_sampler_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_group_no_limit),
	    cmocka_unit_test(version_2_with_limits_on_the_way_up),
	    cmocka_unit_test(version_1_with_limits_on_the_way_up),
	    cmocka_unit_test(inside_a_container),
	    cmocka_unit_test(mounts_as_the_kernel_writes_them),
	    cmocka_unit_test(this_machine),
	    cmocka_unit_test(shares_of_cpu_time),
	    cmocka_unit_test(shares_of_this_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
