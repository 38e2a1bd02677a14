// What machine this is: from files as other machines have them, and from this one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_root.h"
#include "sys/host.h"
#include "sys/pressure.h"
#include "sys/virt.h"

struct preempt_case {
	const char *version, *release, *path, *text, *log, *want;
};

static void
the_preemption_model_is_found_wherever_it_is_told(void **state)
{
	(void)state;
	static const struct preempt_case row[] = {
	    {"#1 SMP PREEMPT_RT Debian", "6.1", NULL, NULL, "", "PREEMPT_RT"},
	    {"#1 SMP PREEMPT RT", "4.19", NULL, NULL, "", "PREEMPT_RT"},
	    {"#1 SMP PREEMPT", "5.4", "/sys/kernel/realtime", "1\n", "", "PREEMPT_RT"},
	    {"#1 SMP PREEMPT_DYNAMIC", "6.6", "/sys/kernel/debug/sched/preempt", "none (voluntary) full \n", "",
	        "PREEMPT_DYNAMIC (voluntary)"},
	    {"#1 SMP PREEMPT_DYNAMIC", "6.13", "/sys/kernel/debug/sched/preempt", "none voluntary full (lazy) \n",
	        "[0.2] Dynamic Preempt: full\n", "PREEMPT_DYNAMIC (lazy)"},
	    {"#1 SMP PREEMPT_DYNAMIC", "6.6", NULL, NULL, "<6>[    0.25] Dynamic Preempt: none\n<6>[9] x",
	        "PREEMPT_DYNAMIC (none)"},
	    {"#1 SMP PREEMPT_DYNAMIC", "6.6", NULL, NULL, "Dynamic Preempt: none\nDynamic Preempt: full\n",
	        "PREEMPT_DYNAMIC (full)"},
	    {"#1 SMP PREEMPT_DYNAMIC", "6.6", "/proc/cmdline", "ro preempt=voluntary quiet\n", "",
	        "PREEMPT_DYNAMIC (voluntary)"},
	    {"#1 SMP PREEMPT_DYNAMIC", "6.6", "/proc/cmdline", "preempt=full\n", "", "PREEMPT_DYNAMIC (full)"},
	    {"#1 SMP PREEMPT_DYNAMIC", "6.6", "/proc/cmdline", "my.preempt=full\n", "", "PREEMPT_DYNAMIC (unknown)"},
	    {"#1 SMP PREEMPT_DYNAMIC", "6.6-a", "/boot/config-6.6-a", "# x\nCONFIG_PREEMPT_VOLUNTARY=y\n", "",
	        "PREEMPT_DYNAMIC (voluntary)"},
	    {"#1 SMP PREEMPT_DYNAMIC", "6.6", NULL, NULL, "CPU: 0 Comm: x 6.6 #1 PREEMPT(lazy) \n", "PREEMPT_DYNAMIC (lazy)"},
	    {"#1 SMP PREEMPT", "5.4", NULL, NULL, "", "PREEMPT"},
	    {"#1 SMP Debian", "5.10-b", "/boot/config-5.10-b", "x\n# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_NONE=y\n", "",
	        "none"},
	    {"#1 SMP Debian", "5.10", NULL, NULL, "", "unknown"},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char root[128];
		struct host h = {0};
		root_new(root);
		if (row[i].path)
			root_put(root, row[i].path, row[i].text);
		snprintf(h.version, sizeof h.version, "%s", row[i].version);
		snprintf(h.kernel, sizeof h.kernel, "%s", row[i].release);
		host_read_under(root, row[i].log, &h);
		assert_string_equal(h.preempt, row[i].want);
		root_remove(root);
	}
}

static void
files_of_a_machine(void **state)
{
	(void)state;
	char root[128];
	struct host h = {0};
	root_new(root);
	root_put(root, "/proc/cpuinfo", "processor\t: 0\nmodel\t\t: 1\nmodel name\t: Fast\033[2J CPU @ 3GHz\n\nprocessor\t: 1\n");
	root_put(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	root_put(root, "/sys/devices/system/cpu/cpu1/online", "1\n");
	root_put(root, "/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave\n");
	root_put(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
	root_put(root, "/sys/devices/system/cpu/cpuidle/current_driver", "intel_idle\n");
	root_put(root, "/proc/sys/kernel/random/boot_id", "e33a536f-c69e-42f2-9bd6-77408300cee7\n");
	root_put(root, "/proc/sys/kernel/sched_rt_period_us", "1000000\n");
	root_put(root, "/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
	host_read_under(root, "", &h);
	assert_string_equal(h.model, "Fast?[2J CPU @ 3GHz");
	assert_string_equal(h.governor, "powersave");
	assert_string_equal(h.clocksource, "hpet");
	assert_string_equal(h.idle_driver, "intel_idle");
	assert_string_equal(h.boot_id, "e33a536f-c69e-42f2-9bd6-77408300cee7");
	assert_int_equal(h.rt_period_us, 1000000);
	assert_int_equal(h.rt_runtime_us, -1);
	assert_false(h.is_virtual);
	assert_string_equal(h.hypervisor, "");
	root_put(root, "/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n");
	h = (struct host){0};
	host_read_under(root, "", &h);
	assert_string_equal(h.governor, "mixed");
	root_remove(root);
}

static void
an_empty_machine_is_unknown_not_wrong(void **state)
{
	(void)state;
	char root[128];
	struct host h = {0};
	struct pressure p;
	root_new(root);
	host_read_under(root, "", &h);
	assert_string_equal(h.preempt, "unknown");
	assert_string_equal(h.governor, "");
	assert_string_equal(h.model, "");
	assert_int_equal(h.rt_period_us, 0);
	pressure_read(root, &p);
	assert_true(isnan(p.cpu) && isnan(p.memory) && isnan(p.io));
	root_put(root, "/proc/pressure/memory", "some avg10=12.05 avg60=1.00 avg300=0.10 total=5\nfull avg10=0.00\n");
	pressure_read(root, &p);
	assert_true(p.memory == 12.05);
	assert_true(isnan(p.cpu));
	root_remove(root);
}

static void
virtual_machines_and_containers(void **state)
{
	(void)state;
	static const struct {
		const char *path, *text, *want;
		bool is_virtual;
	} row[] = {
	    {"/sys/class/dmi/id/product_name", "Standard PC (QEMU Virtual Machine)\n", "qemu", true},
	    {"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n", "ec2", true},
	    {"/sys/class/dmi/id/sys_vendor", "Dell Inc.\n", "", false},
	    {"/sys/hypervisor/type", "xen\n", "xen", true},
	    {"/proc/device-tree/hypervisor/compatible", "linux,kvm", "kvm", true},
	    {"/proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n", "wsl", true},
	    {"/.dockerenv", "", "docker", false},
	    {"/run/.containerenv", "", "podman", false},
	    {"/run/systemd/container", "systemd-nspawn\n", "systemd-nspawn", false},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char root[128], name[32];
		bool is_virtual;
		root_new(root);
		root_put(root, row[i].path, row[i].text);
		virt_find(root, name, sizeof name, &is_virtual);
		assert_string_equal(name, row[i].want);
		assert_int_equal(is_virtual, row[i].is_virtual);
		root_remove(root);
	}
	char root[128], name[32], path[256];
	bool is_virtual;
	root_new(root);
	root_put_bytes(root, "/proc/1/environ", "PATH=/bin\0container=lxc\0X=1", 27);
	root_put(root, "/sys/class/dmi/id/sys_vendor", "QEMU\n");
	virt_find(root, name, sizeof name, &is_virtual);
	assert_string_equal(name, "qemu, lxc");
	assert_true(is_virtual);
	root_remove(root);
	// the image came from a container, the machine is none
	root_new(root);
	root_put(root, "/.dockerenv", "");
	root_put(root, "/proc/self/ns/x", "");
	snprintf(path, sizeof path, "%s/proc/self/ns/pid", root);
	assert_int_equal(symlink("pid:[4026531836]", path), 0);
	virt_find(root, name, sizeof name, &is_virtual);
	assert_string_equal(name, "");
	root_remove(root);
}

static void
this_machine(void **state)
{
	(void)state;
	struct host h;
	host_read(&h);
	assert_true(h.name[0] && h.kernel[0] && h.version[0] && h.preempt[0]);
	assert_true(h.cpus >= 1);
	assert_true(h.ram_bytes > 16 << 20);
	assert_int_equal(strlen(h.boot_id), 36);
	assert_true(h.clocksource[0]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_preemption_model_is_found_wherever_it_is_told),
	    cmocka_unit_test(files_of_a_machine),
	    cmocka_unit_test(an_empty_machine_is_unknown_not_wrong),
	    cmocka_unit_test(virtual_machines_and_containers),
	    cmocka_unit_test(this_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
