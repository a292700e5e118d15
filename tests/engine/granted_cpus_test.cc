#include "runtime/engine/granted_cpus.h"

#include <gtest/gtest.h>

#include <map>

#include "runtime/engine/machine.h"

namespace outrider::engine {
namespace {

using Files = std::map<std::string, std::string>;

std::optional<double> granted_by(const Files& files) {
  return granted_cpus([&](const std::string& path) -> std::optional<std::string> {
    const auto file = files.find(path);
    if (file == files.end()) return std::nullopt;
    return file->second;
  });
}

TEST(GrantedCpus, AreAllWithoutControlGroupsOrLimits) {
  EXPECT_EQ(granted_by({}), std::nullopt);
  EXPECT_EQ(granted_by({{"/proc/self/cgroup", "0::/\n"}}), std::nullopt);
  EXPECT_EQ(
      granted_by({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "max 100000\n"}}),
      std::nullopt);
  EXPECT_EQ(granted_by({{"/proc/self/cgroup", "4:cpu:/\n"},
                        {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                        {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}),
            std::nullopt);
}

TEST(GrantedCpus, AreReadFromCpuMax) {
  EXPECT_EQ(
      granted_by({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "250000 100000\n"}}),
      2.5);
  EXPECT_EQ(granted_by({{"/proc/self/cgroup", "0::/one/two\n"},
                        {"/sys/fs/cgroup/one/two/cpu.max", "60000 20000"}}),
            3.0);
  // Beside hierarchies of the first version.
  EXPECT_EQ(granted_by({{"/proc/self/cgroup", "2:cpuset:/\n1:name=systemd:/one\n0::/one\n"},
                        {"/sys/fs/cgroup/unified/one/cpu.max", "50000 100000"}}),
            0.5);
}

TEST(GrantedCpus, AreReadFromQuotaAndPeriod) {
  const auto granted = [](const std::string& controllers, const std::string& mount) {
    return granted_by({{"/proc/self/cgroup", "9:cpuset:/box\n4:" + controllers + ":/box\n"},
                       {"/sys/fs/cgroup/" + mount + "/box/cpu.cfs_quota_us", "150000\n"},
                       {"/sys/fs/cgroup/" + mount + "/box/cpu.cfs_period_us", "50000\n"}});
  };
  EXPECT_EQ(granted("cpu", "cpu"), 3.0);
  EXPECT_EQ(granted("cpu,cpuacct", "cpu"), 3.0);
  EXPECT_EQ(granted("cpu,cpuacct", "cpu,cpuacct"), 3.0);
  EXPECT_EQ(granted("cpuacct", "cpu"), std::nullopt);  // another hierarchy's
}

TEST(GrantedCpus, AreTheLeastOfAllGroupsOnTheWayUp) {
  const Files files = {{"/proc/self/cgroup", "0::/a/b/c\n"},
                       {"/sys/fs/cgroup/a/b/c/cpu.max", "max 100000"},
                       {"/sys/fs/cgroup/a/b/cpu.max", "400000 100000"},
                       {"/sys/fs/cgroup/a/cpu.max", "200000 100000"},
                       {"/sys/fs/cgroup/cpu.max", "800000 100000"}};
  EXPECT_EQ(granted_by(files), 2.0);
  // The path of the host, of which a container sees only what is mounted as the root.
  EXPECT_EQ(granted_by({{"/proc/self/cgroup", "0::/docker/123\n"},
                        {"/sys/fs/cgroup/cpu.max", "100000 100000"}}),
            1.0);
}

TEST(GrantedCpus, IgnoreWhatTheyCannotRead) {
  for (const char* text : {"", "100000", "1 2 3", "x 100000", "100000 0", "0 100000", "-5 100000"})
    EXPECT_EQ(granted_by({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", text}}),
              std::nullopt)
        << text;
  for (const char* groups : {"0", "0:", "0::", "0::relative", ":::", "\n\n"})
    EXPECT_EQ(
        granted_by({{"/proc/self/cgroup", groups}, {"/sys/fs/cgroup/cpu.max", "100000 100000"}}),
        std::nullopt)
        << groups;
}

TEST(DefaultThreads, AreNoMoreThanTheCoresOrWhatIsGranted) {
  EXPECT_GE(default_threads(), 1);
  EXPECT_LE(default_threads(), physical_cores());
  if (const auto granted = granted_cpus(); granted && *granted >= 1) {
    EXPECT_LE(default_threads(), *granted);
  }
  EXPECT_EQ(default_threads(8, std::nullopt), 8);
  EXPECT_EQ(default_threads(8, 2.5), 2);
  EXPECT_EQ(default_threads(8, 0.5), 1);
  EXPECT_EQ(default_threads(2, 16), 2);
}

}  // namespace
}  // namespace outrider::engine
