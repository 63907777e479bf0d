#include "apply/plan_variables.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "apply/plan_settings.h"
#include "apply/user_knob.h"

namespace flatout::apply {
namespace {

using std::string_view;

constexpr string_view kNames[] = {"PATH",
                                  "ENV",
                                  "BASH_ENV",
                                  "IFS",
                                  "SHELL",
                                  "HOME",
                                  "SHELLOPTS",
                                  "BASHOPTS",
                                  "PS4",
                                  "CDPATH",
                                  "PROMPT_COMMAND",
                                  "NODE_OPTIONS",
                                  "NODE_PATH",
                                  "RUBYOPT",
                                  "RUBYLIB",
                                  "GCONV_PATH",
                                  "LOCPATH",
                                  "GLIBC_TUNABLES",
                                  "NLSPATH",
                                  "HOSTALIASES",
                                  "RESOLV_HOST_CONF",
                                  "EDITOR",
                                  "VISUAL",
                                  "PAGER",
                                  "BROWSER",
                                  "CC",
                                  "CXX",
                                  "CFLAGS",
                                  "CXXFLAGS",
                                  "LDFLAGS",
                                  "TMPDIR",
                                  "CUDA_HOME",
                                  "CUDA_PATH",
                                  "CLASSPATH",
                                  "JAVA_TOOL_OPTIONS",
                                  "MASTER_ADDR",
                                  "VIRTUAL_ENV",
                                  "OPENSSL_CONF"};
constexpr string_view kBegins[] = {"LD_",  "DYLD_", "PYTHON", "PERL", "GIT_", "SSH_", "BASH_FUNC_",
                                   "SSL_", "XDG_",  "CONDA_", "PIP_", "UV_",  "AWS_", "OPENSSL_"};
constexpr string_view kEnds[] = {
    "_PROXY",    "_proxy",   "_PRELOAD",  "_LIBRARY_PATH",    "_PLUGIN",
    "_ENDPOINT", "_URL",     "_URI",      "_TOKEN",           "_KEY",
    "_BUNDLE",   "_COMMAND", "_COMPILER", "INJECTION64_PATH", "_REMOTE_CODE"};

std::string text_of(const run::KnobSetting& setting) {
  if (!set_from_outside(setting)) return setting.knob + " = " + setting.value;
  if (is_variable(setting)) {
    const auto [name, value] = set_variable(setting.pattern, setting.value);
    return name + "=" + value;
  }
  std::string text = setting.pattern;
  const std::size_t hole = text.find("{}");
  return hole == std::string::npos ? text : text.replace(hole, 2, value_text(setting.value));
}

}  // namespace

bool chooses_code(const std::string& name, const std::string& value) {
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kBegins, [&](string_view text) { return name.starts_with(text); }) ||
         std::ranges::any_of(kEnds, [&](string_view text) { return name.ends_with(text); }) ||
         value.contains('/') || value.starts_with("()");
}

std::vector<std::string> refused_variables(const run::Plan& plan,
                                           const std::set<std::string>& allowed) {
  std::vector<std::string> out;
  for (const auto& entry : plan.entries) {
    if (!is_variable(entry.setting) || !can_be_set(entry.setting)) continue;
    const auto [name, value] = set_variable(entry.setting.pattern, entry.setting.value);
    if (chooses_code(name, value) && !allowed.contains(name)) out.push_back(name);
  }
  return out;
}

std::string settings_line(const run::Plan& plan) {
  std::string out;
  for (const auto& entry : plan.entries) {
    if (can_be_set(entry.setting)) out += (out.empty() ? "" : ", ") + text_of(entry.setting);
  }
  return out;
}

}  // namespace flatout::apply
