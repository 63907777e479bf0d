#include "data/decode/jpeg/own_decoder.h"

#include <algorithm>
#include <climits>

namespace flatout::data {
namespace {

// libjpeg refuses larger images (JPEG_MAX_DIMENSION).
constexpr int kMaxSide = 65500;

bool takes_quant(const QuantSpec& table) {
  return table.present && std::all_of(table.steps.begin(), table.steps.end(),
                                      [](int step) { return step >= 1 && step <= 255; });
}

bool takes_sampling(const JpegHeaders& headers) {
  const auto& [full, second, third, fourth] = headers.components;
  if (headers.component_count == 1) return full.h >= 1 && full.h <= 4 && full.v >= 1 && full.v <= 4;
  const auto at_most_halved = [](int whole, int part) {
    return part >= 1 && whole <= 2 && (whole == part || whole == 2 * part);
  };
  if (second.h != third.h || second.v != third.v) return false;
  if (!at_most_halved(full.h, second.h) || !at_most_halved(full.v, second.v)) return false;
  if (full.h * full.v + 2 * second.h * second.v > kMaxBlocksOfMcu) return false;
  // libjpeg filters only planes of three columns or more.
  return full.h == second.h || divide_up(headers.width, 2) > 2;
}

void set_quant(const QuantSpec& table, BlockQuant& quant) {
  for (std::size_t i = 0; i < 64; ++i)
    quant.steps[kZigzag[i]] = static_cast<std::int16_t>(table.steps[i]);
}

}  // namespace

bool own_jpeg_takes(const JpegHeaders& headers) {
  if (headers.frame_type != 0 && headers.frame_type != 1) return false;
  if (headers.precision != 8 || (headers.component_count != 1 && headers.component_count != 3))
    return false;
  if (headers.width > kMaxSide || headers.height > kMaxSide) return false;
  if (!takes_sampling(headers)) return false;
  return std::all_of(headers.components.begin(),
                     headers.components.begin() + headers.component_count,
                     [&](const JpegComponent& c) {
                       return c.quant < kJpegTables && takes_quant(headers.quant[c.quant]);
                     });
}

OwnJpeg::OwnJpeg() : OwnJpeg(jpeg_kernels()) {}

OwnJpeg::OwnJpeg(const JpegKernels& kernels)
    : kernels_(kernels),
      tables_(std::make_unique<std::array<Tables, kJpegTables>>()),
      pair_(std::make_unique<CoefficientPair>()) {}

std::optional<PixelView> OwnJpeg::decode(std::span<const std::byte> file, const JpegHeaders& first,
                                         const Box& box, int scale_denom) {
  file_ = file;
  box_ = box;
  scale_denom_ = scale_denom;
  const bool one_scan = first.scan().part_count == first.component_count;
  if (!planes_.open(first, box, scale_denom, !one_scan)) return std::nullopt;
  const int channels = first.component_count;
  const auto stride = (static_cast<std::size_t>(box.width * channels) + 127) / 64 * 64;
  std::uint8_t* pixels = pixels_.get(stride * static_cast<std::size_t>(box.height) + 128);
  view_ = {.data = pixels,
           .width = box.width,
           .height = box.height,
           .channels = channels,
           .stride = static_cast<std::ptrdiff_t>(stride)};
  rows_made_ = 0;

  if (one_scan) {
    if (!decode_scan(first)) return std::nullopt;
    return view_;
  }
  JpegHeaders headers = first;
  for (int seen = 0;;) {
    for (int i = 0; i < headers.scan().part_count; ++i) {
      const int bit = 1 << headers.scan().parts[static_cast<std::size_t>(i)].component;
      if ((seen & bit) != 0) return std::nullopt;
      seen |= bit;
    }
    if (!decode_scan(headers)) return std::nullopt;
    const auto next = headers.next_scan(headers.scan().data_begin);
    const bool complete = seen == (1 << headers.component_count) - 1;
    if (complete != (next == JpegHeaders::Next::kEnd) || next == JpegHeaders::Next::kOdd)
      return std::nullopt;
    if (!complete) continue;
    make_rows(box.height);
    return view_;
  }
}

bool OwnJpeg::decode_scan(const JpegHeaders& headers) {
  const JpegScan& scan = headers.scan();
  if (scan.spectral_begin != 0 || scan.spectral_end != 63 || scan.approximation != 0) return false;
  if (!set_tables(headers)) return false;
  const Layout layout = lay_out(headers);
  return decode_rows(headers, layout, scan.part_count == headers.component_count);
}

bool OwnJpeg::set_tables(const JpegHeaders& headers) {
  const JpegScan& scan = headers.scan();
  for (std::size_t i = 0; i < static_cast<std::size_t>(scan.part_count); ++i) {
    const auto dc = static_cast<std::size_t>(scan.parts[i].dc);
    const auto ac = static_cast<std::size_t>(scan.parts[i].ac);
    Tables& for_dc = (*tables_)[dc];
    if (!for_dc.dc_good || for_dc.dc_spec != headers.dc[dc]) {
      for_dc.dc_good = build_dc_table(headers.dc[dc], for_dc.dc);
      for_dc.dc_spec = headers.dc[dc];
    }
    Tables& for_ac = (*tables_)[ac];
    if (!for_ac.ac_good || for_ac.ac_spec != headers.ac[ac]) {
      for_ac.ac_good = build_ac_table(headers.ac[ac], for_ac.ac);
      for_ac.ac_spec = headers.ac[ac];
      if (for_ac.ac_good) build_skip_table(for_ac.ac_spec, for_ac.skip);
    }
    if (!for_dc.dc_good || !for_ac.ac_good) return false;
    const QuantSpec& quant =
        headers.quant[headers.components[static_cast<std::size_t>(scan.parts[i].component)].quant];
    if (!takes_quant(quant)) return false;
    set_quant(quant, quants_[i]);
  }
  return true;
}

OwnJpeg::Layout OwnJpeg::lay_out(const JpegHeaders& headers) {
  const JpegScan& scan = headers.scan();
  const bool interleaved = scan.part_count > 1;
  const JpegComponent& full = headers.components[0];
  Layout layout = {.columns = divide_up(headers.width, 8 * full.h),
                   .first_row = INT_MAX,
                   .end_row = 0,
                   .row_height = 8 / scale_denom_ * full.v};
  task_count_ = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(scan.part_count); ++i) {
    const int component = scan.parts[i].component;
    const JpegPlane& plane = planes_.plane(component);
    const int h = interleaved ? headers.components[static_cast<std::size_t>(component)].h : 1;
    const int v = interleaved ? headers.components[static_cast<std::size_t>(component)].v : 1;
    if (!interleaved) {
      layout.columns = divide_up(plane.width, plane.side);
      layout.row_height = plane.side * plane.halved_y;
    }
    layout.first_row = std::min(layout.first_row, plane.rows.begin / v);
    layout.end_row = std::max(layout.end_row, divide_up(plane.rows.end, v));
    for (int block = 0; block < h * v; ++block) {
      const auto task = static_cast<std::size_t>(task_count_++);
      tasks_[task] = {.dc = &(*tables_)[static_cast<std::size_t>(scan.parts[i].dc)].dc,
                      .ac = &(*tables_)[static_cast<std::size_t>(scan.parts[i].ac)].ac,
                      .skip = &(*tables_)[static_cast<std::size_t>(scan.parts[i].ac)].skip,
                      .quant = &quants_[i],
                      .predictor = &predictors_[i],
                      .blocks_per_mcu = h,
                      .offset = block % h,
                      .stride = plane.stride,
                      .side = plane.side};
      aims_[task] = {.component = component, .row = block / h, .rows_per_mcu = v};
    }
  }
  return layout;
}

bool OwnJpeg::decode_rows(const JpegHeaders& headers, const Layout& layout, bool convert) {
  interval_ = headers.restart_interval;
  restarts_ = 0;
  predictors_.fill(0);
  if (!skip_intervals(headers, layout)) return false;
  const auto mcus_skipped = static_cast<std::int64_t>(restarts_) * interval_;
  const int row_begun = static_cast<int>(mcus_skipped / layout.columns);
  int column = static_cast<int>(mcus_skipped % layout.columns);
  interval_left_ = interval_;
  for (int row = row_begun; row < layout.end_row; ++row) {
    aim(row);
    if (!decode_mcus(column, layout.columns)) return false;
    column = 0;
    for (int i = 0; i < headers.scan().part_count; ++i) {
      const int component = headers.scan().parts[static_cast<std::size_t>(i)].component;
      const int v = headers.scan().part_count > 1
                        ? headers.components[static_cast<std::size_t>(component)].v
                        : 1;
      planes_.pad(component, {row * v, (row + 1) * v});
    }
    const bool last = row + 1 == layout.end_row;
    if (convert)
      make_rows(last ? box_.height : planes_.rows_ready(row + 1, layout.row_height) - box_.top);
  }
  return !bytes_.is_beyond(place_);
}

// Restart intervals that end before the first row of interest are not decoded: DC values begin anew
// after each.
bool OwnJpeg::skip_intervals(const JpegHeaders& headers, const Layout& layout) {
  std::size_t at = headers.scan().data_begin;
  if (interval_ > 0) {
    const std::int64_t before =
        static_cast<std::int64_t>(layout.first_row) * layout.columns / interval_;
    for (; restarts_ < before; ++restarts_) {
      at = find_jpeg_marker(file_, at);
      if (at >= file_.size() || std::to_integer<int>(file_[at + 1]) != 0xD0 + restarts_ % 8)
        return false;
      at += 2;
    }
  }
  place_ = bytes_.begin(file_, at);
  return true;
}

// Which blocks of this row of MCUs are wanted, and where they go.
void OwnJpeg::aim(int row) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(task_count_); ++i) {
    const JpegPlane& plane = planes_.plane(aims_[i].component);
    const int block_row = row * aims_[i].rows_per_mcu + aims_[i].row;
    BlockTask& task = tasks_[i];
    task.first_column = plane.columns.begin;
    task.last_column = plane.rows.has(block_row) ? plane.columns.end : plane.columns.begin;
    task.samples = plane.rows.has(block_row) ? plane.row(plane.side * block_row) +
                                                   std::ptrdiff_t{plane.side} * plane.columns.begin
                                             : nullptr;
  }
}

bool OwnJpeg::decode_mcus(int begin, int end) {
  while (begin < end) {
    if (interval_ > 0 && interval_left_ == 0 && !restart()) return false;
    const int stop = interval_ > 0 ? std::min(end, begin + interval_left_) : end;
    McuRun run = {.tasks = tasks_.data(),
                  .task_count = task_count_,
                  .mcu = begin,
                  .end = stop,
                  .last_begin = bytes_.last_begin(),
                  .pair = pair_.get(),
                  .place = place_,
                  .scaled = scale_denom_ > 1};
    const int reached = kernels_.decode_mcus(run);
    if (reached < 0) return false;
    place_ = run.place;
    interval_left_ -= reached - begin;
    begin = reached;
    if (reached == stop) continue;
    if (!bytes_.has_more()) return false;
    bytes_.fill(place_);
  }
  return true;
}

bool OwnJpeg::restart() {
  if (bytes_.is_beyond(place_)) return false;
  const std::size_t marker = bytes_.find_marker();
  if (marker >= file_.size() || std::to_integer<int>(file_[marker + 1]) != 0xD0 + restarts_ % 8)
    return false;
  place_ = bytes_.begin(file_, marker + 2);
  ++restarts_;
  interval_left_ = interval_;
  predictors_.fill(0);
  return true;
}

// Pixels of the box's rows before `end`, counted from its top.
void OwnJpeg::make_rows(int end) {
  end = std::min(end, box_.height);
  for (; rows_made_ < end; ++rows_made_) {
    planes_.make_row(kernels_, box_.top + rows_made_,
                     const_cast<std::uint8_t*>(view_.row(rows_made_)));
  }
}

}  // namespace flatout::data
