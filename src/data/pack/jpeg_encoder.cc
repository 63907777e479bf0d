#include "data/pack/jpeg_encoder.h"

// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <csetjmp>
#include <cstdlib>
#include <memory>
#include <string>

namespace flatout::data {
namespace {

// The state of one call of libjpeg. It leaves by longjmp, so nothing between setjmp and its calls
// may have a destructor.
struct Session {
  jpeg_compress_struct jpeg;
  jpeg_error_mgr errors;
  std::jmp_buf leave;
  char message[JMSG_LENGTH_MAX];
  jpeg_destination_mgr destination;
  unsigned char* bytes;  // from malloc
  std::size_t capacity;
};

constexpr std::size_t kFirstCapacity = std::size_t{64} << 10;

[[noreturn]] void on_error(j_common_ptr jpeg) {
  Session& session = *static_cast<Session*>(jpeg->client_data);
  jpeg->err->format_message(jpeg, session.message);
  std::longjmp(session.leave, 1);
}

void on_message(j_common_ptr, int) {}
void on_output(j_common_ptr) {}

// Twice the memory, from `used` on. (libjpeg's own jpeg_mem_dest() leaves a pointer to freed memory
// where it finds none.)
void grow(j_compress_ptr jpeg, std::size_t used) {
  Session& session = *static_cast<Session*>(jpeg->client_data);
  const std::size_t capacity = used == 0 ? kFirstCapacity : 2 * session.capacity;
  void* memory = std::realloc(session.bytes, capacity);
  if (memory == nullptr) {
    std::snprintf(session.message, sizeof session.message, "out of memory");
    std::longjmp(session.leave, 1);
  }
  session.bytes = static_cast<unsigned char*>(memory);
  session.capacity = capacity;
  session.destination.next_output_byte = session.bytes + used;
  session.destination.free_in_buffer = capacity - used;
}

void on_begin(j_compress_ptr jpeg) { grow(jpeg, 0); }
boolean on_full(j_compress_ptr jpeg) {
  grow(jpeg, static_cast<Session*>(jpeg->client_data)->capacity);
  return TRUE;
}
void on_end(j_compress_ptr) {}

void set_up(jpeg_compress_struct& jpeg, const PixelView& pixels, int quality) {
  jpeg.image_width = static_cast<JDIMENSION>(pixels.width);
  jpeg.image_height = static_cast<JDIMENSION>(pixels.height);
  jpeg.input_components = pixels.channels;
  jpeg.in_color_space = pixels.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);  // 4:2:0, accurate integer DCT
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg.optimize_coding = TRUE;
}

bool write(Session& session, const PixelView& pixels, int quality) {
  if (setjmp(session.leave) != 0) {
    jpeg_destroy_compress(&session.jpeg);
    return false;
  }
  session.jpeg.err = jpeg_std_error(&session.errors);
  session.errors.error_exit = on_error;
  session.errors.emit_message = on_message;
  session.errors.output_message = on_output;
  session.jpeg.client_data = &session;
  jpeg_create_compress(&session.jpeg);
  session.jpeg.client_data = &session;
  session.destination = {.next_output_byte = nullptr,
                         .free_in_buffer = 0,
                         .init_destination = on_begin,
                         .empty_output_buffer = on_full,
                         .term_destination = on_end};
  session.jpeg.dest = &session.destination;
  set_up(session.jpeg, pixels, quality);
  jpeg_start_compress(&session.jpeg, TRUE);
  while (session.jpeg.next_scanline < session.jpeg.image_height) {
    // libjpeg's interface has no const.
    auto* row = const_cast<JSAMPROW>(pixels.row(static_cast<int>(session.jpeg.next_scanline)));
    jpeg_write_scanlines(&session.jpeg, &row, 1);
  }
  jpeg_finish_compress(&session.jpeg);
  jpeg_destroy_compress(&session.jpeg);
  return true;
}

}  // namespace

base::Result<std::vector<std::byte>> encode_jpeg(const PixelView& pixels, int quality) {
  Session session = {};
  const bool written = write(session, pixels, quality);
  const std::unique_ptr<unsigned char, void (*)(void*)> memory(session.bytes, std::free);
  if (!written) {
    return base::fail(base::ErrorCode::kInvalid,
                      std::string("cannot be encoded as JPEG: ") + session.message);
  }
  const auto* begin = reinterpret_cast<const std::byte*>(memory.get());
  return std::vector<std::byte>(begin,
                                begin + (session.capacity - session.destination.free_in_buffer));
}

}  // namespace flatout::data
