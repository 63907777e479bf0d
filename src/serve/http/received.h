// What libevent has received, as a Request. Not for other folders: it shows libevent's types.
#pragma once

#include <event2/http.h>

#include "serve/http/message.h"

namespace flatout::serve {

// Takes the body out of it. What is ambiguous, or more than anybody asks, is `malformed`.
Request read_request(evhttp_request* from);

}  // namespace flatout::serve
