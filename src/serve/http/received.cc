#include "serve/http/received.h"

#include <event2/buffer.h>
#include <event2/keyvalq_struct.h>

#include <string>
#include <string_view>

#include "base/ascii.h"

namespace flatout::serve {
namespace {

constexpr std::size_t kMaxQueryParameters = 512;

Method method_of(evhttp_request* request) {
  switch (evhttp_request_get_command(request)) {
    case EVHTTP_REQ_GET:
      return Method::kGet;
    case EVHTTP_REQ_HEAD:
      return Method::kHead;
    case EVHTTP_REQ_PATCH:
      return Method::kPatch;
    default:
      return Method::kOther;
  }
}

std::string_view text_of(const char* text) { return text == nullptr ? std::string_view() : text; }

}  // namespace

Request read_request(evhttp_request* from) {
  Request out;
  out.method = method_of(from);
  const evhttp_uri* uri = evhttp_request_get_evhttp_uri(from);
  if (uri != nullptr)
    parse_target(text_of(evhttp_uri_get_path(uri)), text_of(evhttp_uri_get_query(uri)), out);
  if (uri == nullptr || out.query.size() > kMaxQueryParameters) out.malformed = true;
  const evkeyvalq* headers = evhttp_request_get_input_headers(from);
  for (const evkeyval* header = headers->tqh_first; header != nullptr;
       header = header->next.tqe_next) {
    const std::string name = base::lowered(header->key);
    // Of two of one name, such as two Hosts, which one counts is nobody's guess.
    const bool first = out.headers.try_emplace(name, header->value).second;
    if (!first && (name == "host" || name == "origin" || name == "authorization")) {
      out.malformed = true;
    }
  }
  evbuffer* body = evhttp_request_get_input_buffer(from);
  out.body.resize(evbuffer_get_length(body));
  evbuffer_remove(body, out.body.data(), out.body.size());
  return out;
}

}  // namespace flatout::serve
