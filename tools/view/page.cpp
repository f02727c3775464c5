// SPDX-License-Identifier: Apache-2.0
#include "tools/view/page.hpp"

#include <fmt/format.h>

#include "io/text/digest.hpp"
#include "io/text/printable.hpp"
#include "tools/view/page_files.hpp"

namespace talus {

namespace {

// JSON inside a script element: '<' occurs in strings only, and there it must not end the element.
void append_json(std::string& page, const std::string& json) {
  for (const char c : json)
    if (c == '<')
      page += "\\u003c";
    else
      page += c;
}

void append_block(std::string& page, const std::string& attributes, const std::string& json) {
  page += fmt::format("<script type=\"application/json\" {}>", attributes);
  append_json(page, json);
  page += "</script>\n";
}

std::string data_blocks(const std::vector<PageRun>& runs) {
  std::string blocks;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    append_block(blocks, fmt::format("class=\"run\" id=\"run-{}\"", k), runs[k].fixed);
    append_block(blocks, fmt::format("id=\"growing-{}\"", k), runs[k].growing);
    for (const std::string& chunk : runs[k].chunks)
      append_block(blocks, fmt::format("class=\"chunk\" data-run=\"{}\"", k), chunk);
  }
  return blocks;
}

// Allows the page's own script and style, and no others.
std::string nonce_of(const std::string& blocks) {
  Digest digest;
  digest.add_counted(blocks);
  return fmt::format("{:016x}", digest.value());
}

}  // namespace

std::string page_text(const std::vector<PageRun>& runs, bool live) {
  const std::string blocks = data_blocks(runs);
  std::string title;
  for (const PageRun& run : runs) title += (title.empty() ? "" : " and ") + run.name;
  const std::string nonce = nonce_of(blocks);
  const auto value = [&](std::string_view name) -> std::string {
    if (name == "title") return xml_text(title);
    if (name == "style") return std::string(page_style);
    if (name == "script") return std::string(page_script);
    if (name == "data") return blocks;
    if (name == "nonce") return nonce;
    if (name == "connect") return live ? "'self'" : "'none'";
    return {};
  };
  std::string page;
  std::string_view rest = page_template;
  for (;;) {
    const std::size_t open = rest.find("{{"), close = rest.find("}}", open);
    page += rest.substr(0, open);
    if (open == std::string_view::npos) return page;
    page += value(rest.substr(open + 2, close - open - 2));
    rest.remove_prefix(close + 2);
  }
}

}  // namespace talus
