// Tells virtual machines and containers by CPUID, DMI and the traces that they leave in files.
// Must not know who asks.
#include "sys/virt.h"

#include <stdio.h>
#include <string.h>
#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif
#include <unistd.h>

#include "base/text.h"
#include "sys/read.h"

struct sign {
	const char *seen, *name;
};

static const struct sign cpuid_signs[] = {
    {"KVMKVMKVM", "kvm"}, {"Linux KVM Hv", "kvm"}, {"Microsoft Hv", "hyperv"}, {"VMwareVMware", "vmware"},
    {"XenVMMXenVMM", "xen"}, {"VBoxVBoxVBox", "virtualbox"}, {"TCGTCGTCGTCG", "qemu"}, {"prl hyperv", "parallels"},
    {" lrpepyh vr", "parallels"}, {"bhyve bhyve ", "bhyve"}, {"ACRNACRNACRN", "acrn"}, {"QNXQVMBSQG", "qnx"},
    {"SRESRESRESRE", "lockheed-martin"}, {NULL, NULL},
};

static const struct sign dmi_signs[] = {
    {"QEMU", "qemu"}, {"VMware", "vmware"}, {"VMW", "vmware"}, {"innotek GmbH", "virtualbox"}, {"VirtualBox", "virtualbox"},
    {"Xen", "xen"}, {"Bochs", "bochs"}, {"Parallels", "parallels"}, {"BHYVE", "bhyve"}, {"KVM", "kvm"},
    {"Amazon EC2", "ec2"}, {"Google Compute", "gce"}, {"OpenStack", "openstack"}, {"Hyper-V", "hyperv"},
    {"Virtual Machine", "hyperv"}, {"Apple Virtualization", "apple"}, {NULL, NULL},
};

static const char *
match(const struct sign *signs, const char *text)
{
	for (; signs->seen; signs++)
		if (strstr(text, signs->seen))
			return signs->name;
	return NULL;
}

// What the processor itself says: its hypervisor bit, then the maker's name (Intel SDM, CPUID leaf 1; the leaves from
// 0x40000000 on are the hypervisor's).
static const char *
by_cpuid(void)
{
#if defined __x86_64__ || defined __i386__
	unsigned a, b, c, d, maker[4] = {0};
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1U << 31))
		return NULL;
	__cpuid(0x40000000, a, maker[0], maker[1], maker[2]);
	const char *name = match(cpuid_signs, (const char *)maker);
	return name ? name : "hypervisor";
#else
	return NULL;
#endif
}

static const char *
by_files(const char *root)
{
	static const char *const dmi[] = {"product_name", "sys_vendor", "board_vendor", "bios_vendor"};
	char path[64], buf[128];
	if (sys_read(root, "/proc/sys/kernel/osrelease", buf, sizeof buf) > 0 &&
	    (strstr(buf, "microsoft") || strstr(buf, "Microsoft")))
		return "wsl";
	if (sys_read(root, "/sys/hypervisor/type", buf, sizeof buf) > 0)
		return strcmp(buf, "xen") == 0 ? "xen" : "hypervisor";
	if (sys_read(root, "/proc/device-tree/hypervisor/compatible", buf, sizeof buf) > 0)
		return strstr(buf, "xen") ? "xen" : strstr(buf, "kvm") ? "kvm" : "hypervisor";
	for (size_t i = 0; i < sizeof dmi / sizeof *dmi; i++) {
		snprintf(path, sizeof path, "/sys/class/dmi/id/%s", dmi[i]);
		const char *name = sys_read(root, path, buf, sizeof buf) > 0 ? match(dmi_signs, buf) : NULL;
		if (name)
			return name;
	}
	return NULL;
}

// A container has its own numbers for processes; a machine's image may have come from one, traces included. The first
// name space has this number since it has one (the kernel's include/linux/proc_ns.h).
static bool
in_first_pid_space(const char *root)
{
	char path[4352], link[64];
	snprintf(path, sizeof path, "%s/proc/self/ns/pid", root);
	ssize_t n = readlink(path, link, sizeof link - 1);
	link[n > 0 ? n : 0] = '\0';
	return strcmp(link, "pid:[4026531836]") == 0;
}

// The value of NAME in process 1's environment, where we may see it.
static bool
init_says(const char *root, const char *name, char *value, size_t size)
{
	char buf[8192];
	long n = sys_read(root, "/proc/1/environ", buf, sizeof buf);
	size_t len = strlen(name);
	for (const char *p = buf; n > 0 && p < buf + n; p += strlen(p) + 1)
		if (strncmp(p, name, len) == 0) {
			text_safe(value, size, p + len);
			return *value != '\0';
		}
	return false;
}

static bool
find_container(const char *root, char *buf, size_t size)
{
	char said[64];
	if (sys_read(root, "/run/systemd/container", said, sizeof said) > 0)
		text_safe(buf, size, said);
	else if (init_says(root, "container=", buf, size))
		;
	else if (in_first_pid_space(root))
		return false;
	else if (sys_exists(root, "/.dockerenv"))
		snprintf(buf, size, "docker");
	else if (sys_exists(root, "/run/.containerenv"))
		snprintf(buf, size, "podman");
	else if (sys_exists(root, "/var/run/secrets/kubernetes.io"))
		snprintf(buf, size, "kubernetes");
	else
		return false;
	return true;
}

void
virt_find(const char *root, char *buf, size_t size, bool *virtual)
{
	char container[24] = "";
	const char *name = *root ? NULL : by_cpuid();
	if (!name)
		name = by_files(root);
	bool contained = find_container(root, container, sizeof container);
	*virtual = name != NULL;
	snprintf(buf, size, "%s%s%s", name ? name : "", name && contained ? ", " : "", container);
}
