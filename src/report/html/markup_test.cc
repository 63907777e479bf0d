#include "report/html/markup.h"

#include <gtest/gtest.h>

namespace flatout::report::html {
namespace {

TEST(Escape, LeavesNothingThatCouldBeMarkup) {
  const struct {
    std::string raw, escaped;
  } rows[] = {
      {"a < b && c > \"d\"'", "a &lt; b &amp;&amp; c &gt; &quot;d&quot;&#39;"},
      {"caf\xc3\xa9 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xf0\x9f\x98\x80"},
      {std::string("\0", 1), "\xe2\x90\x80"},
      {"\x1b[31m", "\xe2\x90\x9b[31m"},
      {"a\tb\n", "a\tb\n"},
      {"\xff", "\xef\xbf\xbd"},
      {"\xc3", "\xef\xbf\xbd"},
      {"\xc0\xbc", "\xef\xbf\xbd\xef\xbf\xbd"},          // an overlong '<'
      {"\xe0\x80\xbc", "\xef\xbf\xbd"},                  // another
      {"\xed\xa0\x80", "\xef\xbf\xbd"},                  // a surrogate
      {"\xef\xbf\xbf", "\xef\xbf\xbd"},                  // no character
      {"x\xe2\x80\xaegpj.exe", "x\xef\xbf\xbdgpj.exe"},  // reads backwards
  };
  for (const auto& row : rows) EXPECT_EQ(escape(row.raw), row.escaped) << row.escaped;
}

TEST(Markup, ClosesWhatIsOpen) {
  Markup out;
  {
    const auto list = out.in("ul", {{"class", "a\"b"}});
    out.element("li", "x<y");
    out.empty("br");
  }
  out.open("p");
  out.number(0.86, "86 %");
  EXPECT_EQ(out.take(),
            "<ul class=\"a&quot;b\"><li>x&lt;y</li><br/></ul>"
            "<p><data value=\"0.86\">86 %</data></p>");
}

}  // namespace
}  // namespace flatout::report::html
