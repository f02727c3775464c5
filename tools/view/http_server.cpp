// SPDX-License-Identifier: Apache-2.0
#include "tools/view/http_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "io/text/input_error.hpp"
#include "io/text/system_failure.hpp"

namespace talus {

namespace {

using Clock = std::chrono::steady_clock;
using Answering = std::function<HttpAnswer(std::string_view)>;

constexpr std::size_t most_connections = 16, longest_request = 8192;
constexpr std::chrono::seconds time_to_ask{10}, time_to_take{60}, time_to_leave{2};

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Service Unavailable";
  }
}

HttpAnswer refusal(int status) {
  return {status, "text/plain; charset=utf-8",
          std::make_shared<const std::string>(std::string(reason(status)) + "\n")};
}

struct Request {
  bool sound = false;
  std::string_view method, target;
};

// METHOD TARGET HTTP/1.x, the first line of a request; nothing else of it matters here.
Request parsed(std::string_view text) {
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return {};
  Request request{true, line.substr(0, first), line.substr(first + 1, last - first - 1)};
  request.sound = request.target.starts_with('/') && line.substr(last + 1).starts_with("HTTP/1.");
  return request;
}

std::string head_of(const HttpAnswer& answer) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n{}\r\n",
      answer.status, reason(answer.status), answer.type, answer.body->size(),
      answer.status == 405 ? "Allow: GET, HEAD\r\n" : "");
}

HttpAnswer answer_to(std::string_view text, const Answering& answering) {
  const Request request = parsed(text);
  if (!request.sound) return refusal(400);
  if (request.method != "GET" && request.method != "HEAD") return refusal(405);
  return answering(request.target);
}

class Connection {
 public:
  explicit Connection(int socket) : socket_(socket), deadline_(Clock::now() + time_to_ask) {}
  Connection(Connection&& other) noexcept { *this = std::move(other); }
  Connection& operator=(Connection&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(state_, other.state_);
    std::swap(deadline_, other.deadline_);
    std::swap(request_, other.request_);
    std::swap(head_, other.head_);
    std::swap(body_, other.body_);
    std::swap(sent_, other.sent_);
    return *this;
  }
  ~Connection() {
    if (socket_ >= 0) close(socket_);
  }

  pollfd waits_for() const {
    return {socket_, static_cast<short>(state_ == State::sending ? POLLOUT : POLLIN), 0};
  }
  bool over(Clock::time_point now) const { return state_ == State::over || now > deadline_; }

  void go_on(const Answering& answering) {
    if (state_ == State::sending)
      send_more();
    else
      receive(answering);
  }

 private:
  // leaving: the answer is sent, and what the client still sends is thrown away. Closing a socket
  // with unread bytes would destroy the answer on its way.
  enum class State { receiving, sending, leaving, over };

  void receive(const Answering& answering) {
    std::array<char, 4096> bytes;
    const ssize_t count = recv(socket_, bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      state_ = State::over;
      return;
    }
    if (state_ == State::leaving) return;
    request_.append(bytes.data(), static_cast<std::size_t>(count));
    if (request_.find("\r\n\r\n") != std::string::npos)
      begin(answer_to(request_, answering), request_.starts_with("HEAD "));
    else if (request_.size() > longest_request)
      begin(refusal(431), false);
  }

  void begin(const HttpAnswer& answer, bool head_only) {
    head_ = head_of(answer);
    body_ = head_only ? std::make_shared<const std::string>() : answer.body;
    state_ = State::sending;
    deadline_ = Clock::now() + time_to_take;
    send_more();
  }

  void send_more() {
    const std::string_view rest = sent_ < head_.size()
                                      ? std::string_view(head_).substr(sent_)
                                      : std::string_view(*body_).substr(sent_ - head_.size());
    const ssize_t count = send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0) {
      if (errno != EAGAIN && errno != EINTR) state_ = State::over;
      return;
    }
    sent_ += static_cast<std::size_t>(count);
    deadline_ = Clock::now() + time_to_take;
    if (sent_ < head_.size() + body_->size()) return;
    shutdown(socket_, SHUT_WR);
    state_ = State::leaving;
    deadline_ = Clock::now() + time_to_leave;
  }

  int socket_ = -1;
  State state_ = State::receiving;
  Clock::time_point deadline_;
  std::string request_, head_;
  std::shared_ptr<const std::string> body_;
  std::size_t sent_ = 0;
};

}  // namespace

HttpServer::HttpServer(int port)
    : listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  if (listener_ < 0) fail_by_system();
  const int yes = 1;  // a port that was closed a moment ago may be taken again
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const address = reinterpret_cast<sockaddr*>(&place);
  socklen_t size = sizeof place;
  const bool had = bind(listener_, address, size) == 0 &&
                   listen(listener_, static_cast<int>(most_connections)) == 0 &&
                   getsockname(listener_, address, &size) == 0;
  if (!had) {
    const int error = errno;
    close(listener_);
    throw InputError(
        error == EADDRINUSE
            ? fmt::format("--port {}: in use by another program; choose another, or 0 for any that "
                          "is free",
                          port)
            : fmt::format("--port {}: {}", port, std::strerror(error)));
  }
  port_ = ntohs(place.sin_port);
}

HttpServer::~HttpServer() { close(listener_); }

void HttpServer::serve(const Answering& answering) {
  std::vector<Connection> connections;
  std::vector<pollfd> polled;
  for (;;) {
    polled.clear();
    for (const Connection& connection : connections) polled.push_back(connection.waits_for());
    const bool room = connections.size() < most_connections;  // otherwise the next one waits
    if (room) polled.push_back({listener_, POLLIN, 0});
    constexpr int patience = 1000;  // [ms], until deadlines are looked at
    if (poll(polled.data(), polled.size(), patience) < 0 && errno != EINTR) fail_by_system();
    const Clock::time_point now = Clock::now();
    for (std::size_t k = 0; k < connections.size(); ++k)
      if (polled[k].revents != 0) connections[k].go_on(answering);
    const bool asked = room && polled.back().revents != 0;
    std::erase_if(connections, [&](const Connection& c) { return c.over(now); });
    if (!asked) continue;
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) connections.emplace_back(socket);
  }
}

}  // namespace talus
