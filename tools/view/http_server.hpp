// SPDX-License-Identifier: Apache-2.0
// A small HTTP server for browsers on this machine: 127.0.0.1, one thread, GET and HEAD.
//
// What clients can cost is limited: the number of connections, the length of a request, and the
// time that it may take to come or its answer to leave. Every answer closes its connection.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace talus {

struct HttpAnswer {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::shared_ptr<const std::string> body;
};

class HttpServer {
 public:
  // Port 0: any free one. Throws InputError if the port cannot be had.
  explicit HttpServer(int port);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  int port() const { return port_; }

  // Answers requests until the process ends. `answer` gets what stands between the method and the
  // protocol, "/path?query".
  [[noreturn]] void serve(const std::function<HttpAnswer(std::string_view target)>& answer);

 private:
  int listener_, port_ = 0;
};

}  // namespace talus
