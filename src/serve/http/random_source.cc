// libevent's archive wants arc4random, which glibc has since 2.36 only, and flatout runs from 2.34
// on. Defined here, the program's own is taken. Nothing that flatout uses of libevent calls it.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" {

// NOLINTBEGIN: glibc's names and signatures
void arc4random_buf(void* to, std::size_t bytes) noexcept {
  auto* at = static_cast<unsigned char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::getrandom(at, bytes < 256 ? bytes : 256, 0);
    if (got < 0) continue;  // EINTR; up to 256 bytes it has no other error
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  arc4random_buf(&value, sizeof value);
  return value;
}
// NOLINTEND
}
