// Every file of the kernel that collect/ reads, as a small machine has it: a
// program of two processes in a v2 cgroup, one disk, one network interface, one
// AMD device. kernel_fuzz replaces one of them; its number is the input's first byte.
#pragma once

#include <array>
#include <string_view>

namespace flatout::fuzz {

struct KernelFile {
  std::string_view path;  // absolute on the pretended machine
  std::string_view text;
};

constexpr std::array kKernelFiles = std::to_array<KernelFile>({
    {"/proc/stat", "cpu  10 1 5 900 7 1 1 0 0 0\ncpu0 10 1 5 900 7 1 1 0 0 0\n"},
    {"/proc/meminfo",
     "MemTotal: 65842112 kB\nMemAvailable: 60000000 kB\nCached: 900 kB\n"
     "Shmem: 50 kB\n"},
    {"/proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU\n"},
    {"/proc/diskstats", "8 0 sda 5 0 80 3 4 0 64 2 0 9 11\n8 1 sda1 5 0 80 3 4 0 64 2 0 9 11\n"},
    {"/proc/vmstat", "pgpgin 5\npswpin 1\npswpout 2\npgmajfault 3\n"},
    {"/proc/net/dev", "Inter-| Receive\n face |bytes\n  eth0: 9 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n"},
    {"/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\n"},
    {"/proc/pressure/memory",
     "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"
     "full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"},
    {"/proc/self/cgroup", "0::/job/step\n"},
    {"/proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n"},
    {"/sys/fs/cgroup/job/step/cgroup.controllers", "cpu memory\n"},
    {"/sys/fs/cgroup/job/step/cgroup.type", "domain\n"},
    {"/sys/fs/cgroup/job/step/memory.max", "4294967296\n"},
    {"/sys/fs/cgroup/job/step/memory.current", "1048576\n"},
    {"/sys/fs/cgroup/job/step/memory.events", "oom 1\noom_kill 1\n"},
    {"/sys/fs/cgroup/job/step/cpu.max", "150000 100000\n"},
    {"/sys/fs/cgroup/job/step/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_usec 500\n"},
    {"/sys/fs/cgroup/job/step/io.pressure", "some avg10=0 avg60=0 avg300=0 total=3\n"},
    {"/proc/7/task/7/children", "8 "},
    {"/proc/8/stat",
     "8 (python3) S 7 71 72 0 73 0 74 75 76 77 4 2 78 79 20 0 3 0 100 98 512 1 1\n"},
    {"/proc/8/cmdline", std::string_view("python3\0train.py\0--lr\0000.1\0", 26)},
    {"/proc/8/io", "rchar: 9000\nwchar: 1\nread_bytes: 4096\n"},
    {"/proc/8/schedstat", "900 40 7\n"},
    {"/proc/8/status",
     "Name:\tpython3\nvoluntary_ctxt_switches:\t5\n"
     "nonvoluntary_ctxt_switches:\t6\n"},
    {"/proc/8/smaps_rollup", "00-ff ---p 00000000 00:00 0 [rollup]\nRss: 90 kB\nPss: 70 kB\n"},
    {"/proc/8/task/8/children", ""},
    {"/sys/class/drm/card0/device/vendor", "0x1002\n"},
    {"/sys/class/drm/card0/device/device", "0x740f\n"},
    {"/sys/class/drm/card0/device/product_name", "Instinct MI210\n"},
    {"/sys/class/drm/card0/device/unique_id", "1234abcd\n"},
    {"/sys/class/drm/card0/device/uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:c3:00.0\n"},
    {"/sys/class/drm/card0/device/gpu_busy_percent", "42\n"},
    {"/sys/class/drm/card0/device/mem_info_vram_total", "68702699520\n"},
    {"/sys/class/drm/card0/device/current_link_speed", "8.0 GT/s PCIe\n"},
    {"/sys/class/drm/card0/device/max_link_width", "16\n"},
    {"/sys/class/drm/card0/device/pp_dpm_sclk", "0: 500Mhz *\n1: 1700Mhz\n"},
    {"/sys/class/drm/card0/device/hwmon/hwmon5/power1_cap", "300000000\n"},
    {"/sys/class/drm/card0/device/hwmon/hwmon5/temp2_label", "junction\n"},
    {"/sys/class/drm/card0/device/hwmon/hwmon5/temp2_crit", "100000\n"},
    {"/sys/class/drm/card0/device/hwmon/hwmon5/temp2_input", "55000\n"},
    {"/proc/sys/kernel/random/boot_id", "0b00-1d\n"},
});

}  // namespace flatout::fuzz
