// Writes HTML that is also well-formed XML: every element is closed, every
// attribute quoted, all text escaped. There is no way to add text unescaped
// but `own`, which is for the style and script that ship with flatout.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flatout::report::html {

// Safe inside an element and inside a quoted attribute. Bytes that are not
// UTF-8 become U+FFFD; so do characters that reorder the text around them or
// that XML does not allow. Control characters show as their pictures (U+2400
// and on), newline and tab stay.
std::string escape(std::string_view text);

struct Attribute {
  std::string_view name;
  std::string value;
};
using Attributes = std::initializer_list<Attribute>;

class Markup {
 public:
  // Closes its element when it goes.
  class Scope {
   public:
    explicit Scope(Markup& markup) : markup_(&markup) {}
    Scope(Scope&& other) noexcept : markup_(std::exchange(other.markup_, nullptr)) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    Scope& operator=(Scope&&) = delete;
    ~Scope() {
      if (markup_ != nullptr) markup_->close();
    }

   private:
    Markup* markup_;
  };

  [[nodiscard]] Scope in(std::string_view tag, Attributes attributes = {}) {
    open(tag, attributes);
    return Scope(*this);
  }
  void open(std::string_view tag, Attributes attributes = {});
  void close();
  void empty(std::string_view tag, Attributes attributes = {});
  void text(std::string_view text) { out_ += escape(text); }
  void element(std::string_view tag, Attributes attributes, std::string_view text);
  void element(std::string_view tag, std::string_view text) { element(tag, {}, text); }
  // A number as it is shown, with its exact value beside it, the same digits as in the JSON.
  // What is not finite has no value there and none here.
  void number(double value, std::string_view shown);
  void own(std::string_view markup) { out_ += markup; }
  void line() { out_ += '\n'; }

  // Ids that are unique in the page: "c1", "c2", ...
  std::string next_id() { return "c" + std::to_string(++ids_); }
  // Closes what is open.
  std::string take();

 private:
  void begin(std::string_view tag, Attributes attributes);
  std::string out_;
  std::vector<std::string> open_;
  int ids_ = 0;
};

// Nine significant digits, as the JSON view writes a number.
std::string exact(double value);

}  // namespace flatout::report::html
