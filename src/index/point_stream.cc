#include "index/point_stream.h"

#include <algorithm>

namespace culprit {

using trace::Step;
using trace::StepKind;

const Step& PointStream::next() {
  if (in_run_ && piece_step_.end < run_end_) return next_piece();
  in_run_ = false;
  const Step& step = stream_.next();
  if (!version_ || step.kind != StepKind::kRun) return step;
  begin_run(step);
  return next_piece();
}

void PointStream::begin_run(const Step& run) {
  piece_step_ = run;
  in_run_ = true;
  block_ = run.block;
  run_first_ = run.first;
  run_end_ = run.end;
  run_starts_ = run.starts;
  run_cut_ = run.cut;
  piece_ = version_->first_piece[block_];
  if (run.starts) return;
  // The piece that is gone on with, or the next one.
  const auto begin = version_->pieces.begin() + piece_;
  const auto end = version_->pieces.begin() + version_->first_piece[block_ + 1];
  const auto behind = std::upper_bound(
      begin, end, run.first,
      [](uint32_t operation, const VersionNumbers::Piece& piece) { return operation < piece.first_operation; });
  piece_ = static_cast<uint32_t>(behind - version_->pieces.begin()) - 1;
}

const Step& PointStream::next_piece() {
  const VersionNumbers::Piece& piece = version_->pieces[piece_];
  const bool is_first = piece_ == version_->first_piece[block_];
  piece_step_.block = piece.node;
  piece_step_.starts = is_first ? run_starts_ : piece.first_operation >= run_first_ && piece.first_operation < run_end_;
  piece_step_.first = std::max(run_first_, piece.first_operation);
  const uint32_t piece_end =
      piece_ + 1 < version_->first_piece[block_ + 1] ? version_->pieces[piece_ + 1].first_operation : run_end_;
  piece_step_.end = std::min(run_end_, piece_end);
  piece_step_.cut = run_cut_ && piece_step_.end == run_end_;
  ++piece_;
  return piece_step_;
}

std::span<const trace::StoredValue> PointStream::values() const {
  const std::span<const trace::StoredValue> all = stream_.values();
  if (!in_run_) return all;
  const auto begin = std::ranges::lower_bound(all, piece_step_.first, {}, &trace::StoredValue::operation);
  const auto end = std::ranges::lower_bound(all, piece_step_.end, {}, &trace::StoredValue::operation);
  return {begin, end};
}

}  // namespace culprit
