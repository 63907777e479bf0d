// The event loop. Processor sharing gives everything that runs the same rate,
// so CPU work is kept in virtual time: a clock that advances at that rate. A
// task that starts with c ns of work ends when virtual time has grown by c,
// whatever starts or ends meanwhile; no remaining work is ever updated.
#include "analyse/whatif_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace flatout::analyse {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// A worker or the step thread: waiting until a wall time, or on a core until a
// virtual time, or (both kNever) blocked.
struct Actor {
  double wall_due = kNever;
  double cpu_left = kNever;  // of its work on a core, at full speed
  double demand = 0;         // cores wanted while on a core
};

class Loop {
 public:
  Loop(const LoopModel& model, std::span<const FetchCost> fetches, std::span<const StepCost> steps,
       std::size_t warm_up)
      : model_(model),
        fetches_(fetches),
        steps_(steps),
        warm_up_(warm_up),
        workers_(static_cast<std::size_t>(std::max(0, model.loader.workers))),
        depth_(workers_ * static_cast<std::size_t>(std::max(1, model.loader.prefetch_factor))),
        wanted_(std::max(0.0, model.others_cores)) {
    std::size_t draws = 0;
    for (std::size_t i = 0; i < warm_up_ + steps_.size(); ++i) draws += draws_of(i);
    epoch_ = model.epoch_draws > 0 ? static_cast<std::size_t>(model.epoch_draws) : draws + depth_;
    ready_.assign(draws + depth_ + 1, false);
    actors_.resize(workers_ + 1);
    state_.resize(workers_);
  }

  LoopTimes run() {
    begin_step();
    while (step_ < warm_up_ + steps_.size()) {
      if (!advance()) return {};
    }
    const auto count = static_cast<double>(steps_.size());
    return {.step_ns = (now_ - counted_from_) / count,
            .busy_ns = busy_sum_ / count,
            .fetch_ns = fetch_sum_ / std::max(1.0, static_cast<double>(fetch_count_))};
  }

 private:
  enum class Doing : std::uint8_t { kNothing, kStart, kWait, kCpu, kHandOver };
  struct WorkerState {
    Doing doing = Doing::kNothing;
    std::size_t batch = 0;  // being fetched, or next to fetch
    double began = 0;
    double first_ns = 0;  // by which the next fetch costs more
  };
  enum class Stage : std::uint8_t {
    kBlocked,
    kFetchWait,
    kFetchCpu,
    kHandOver,
    kDraw,
    kHost,
    kComputeWait,
    kCompute,
    kDevice
  };

  const StepCost& step_cost(std::size_t i) const {
    return i < warm_up_ ? steps_[i % steps_.size()] : steps_[i - warm_up_];
  }
  std::size_t draws_of(std::size_t i) const {
    return static_cast<std::size_t>(std::max(1, step_cost(i).draws));
  }
  const FetchCost& fetch_cost(std::size_t batch) const { return fetches_[batch % fetches_.size()]; }
  Actor& step_thread() { return actors_[workers_]; }

  void on_core(Actor& actor, double work, double demand) {
    actor.cpu_left = work;
    actor.demand = demand;
    wanted_ += demand;
  }

  // Of its full speed, when each thread gets `share` of a core. Threads that meet at barriers
  // advance while all of them run at once, but wait for no more than the fullest core: see the
  // header.
  double speed(const Actor& actor, double share) const {
    if (actor.demand <= 1) return share;
    const double fullest = std::max(1.0, std::ceil(wanted_ / model_.cores));
    return std::max(std::pow(share, actor.demand), 1 / (fullest * fullest));
  }

  // To the next thing that ends, and lets its actor go on. False when nothing
  // ends any more: so many threads on so few cores that their speed is 0.
  bool advance() {
    const double share = wanted_ > model_.cores ? model_.cores / wanted_ : 1.0;
    double next = kNever;
    std::size_t which = 0;
    for (std::size_t i = 0; i < actors_.size(); ++i) {
      const Actor& actor = actors_[i];
      const double due =
          actor.cpu_left == kNever ? actor.wall_due : now_ + actor.cpu_left / speed(actor, share);
      if (due < next) next = due, which = i;
    }
    if (next == kNever) return false;
    for (Actor& actor : actors_) {
      if (actor.cpu_left == kNever) continue;
      actor.cpu_left = std::max(0.0, actor.cpu_left - (next - now_) * speed(actor, share));
    }
    now_ = next;
    wanted_ -= actors_[which].demand;
    actors_[which] = {};
    resume(which);
    return true;
  }

  void resume(std::size_t actor) { actor == workers_ ? go_on() : resume_worker(actor); }

  // Worker side.
  // `waited`: how long this fetch has been waiting beside the hand-over.
  void start_fetch(std::size_t worker, double waited = 0) {
    WorkerState& state = state_[worker];
    if (state.doing != Doing::kNothing || state.batch >= sent_) return;
    const double wait = fetch_cost(state.batch).wait_ns;
    waited = std::min(waited, wait);
    state.doing = Doing::kWait;
    state.began = now_ - waited;
    actors_[worker].wall_due = now_ + wait - waited;
  }

  void resume_worker(std::size_t worker) {
    WorkerState& state = state_[worker];
    if (state.doing == Doing::kStart) {
      state.doing = Doing::kNothing;
      start_fetch(worker);
    } else if (state.doing == Doing::kWait) {
      state.doing = Doing::kCpu;
      on_core(actors_[worker],
              fetch_cost(state.batch).cpu_ns + model_.ipc.worker_ns_per_byte * model_.batch_bytes +
                  std::exchange(state.first_ns, 0),
              1);
    } else if (state.doing == Doing::kCpu) {
      fetch_sum_ += now_ - state.began;
      ++fetch_count_;
      release(worker);
      state.doing = Doing::kHandOver;
      actors_[worker].wall_due = now_ + model_.ipc.worker_fixed_ns;
    } else {
      ready_[state.batch] = true;
      const bool awaited = stage_ == Stage::kBlocked && state.batch == drawn_;
      state.doing = Doing::kNothing;
      state.batch += workers_;
      start_fetch(worker, model_.ipc.worker_fixed_ns);
      if (awaited) take();
    }
  }

  void send_to(std::size_t end) {
    sent_ = std::max(sent_, std::min(end, epoch_begin_ + epoch_));
    for (std::size_t worker = 0; worker < workers_; ++worker) start_fetch(worker);
  }

  // Step thread's side: one function a stage, each ends by setting the next.
  void begin_step() {
    if (step_ == warm_up_) counted_from_ = now_;
    if (step_ >= warm_up_ + steps_.size()) return;
    step_draw_ = 0;
    begin_draw();
  }

  void begin_draw() {
    if (drawn_ == 0 || drawn_ == epoch_begin_ + epoch_) begin_epoch();
    if (workers_ == 0) {
      stage_ = Stage::kFetchWait;
      fetch_began_ = now_;
      step_thread().wall_due = now_ + fetch_cost(drawn_).wait_ns;
    } else if (ready_[drawn_]) {
      take();
    } else {
      stage_ = Stage::kBlocked;
    }
  }

  void begin_epoch() {
    epoch_begin_ = drawn_;
    for (std::size_t worker = 0; worker < workers_; ++worker) {
      state_[worker].batch = drawn_ + worker;
      start_worker(worker);
    }
    send_to(drawn_ + depth_);
  }

  // Those that were built before the last one have been starting meanwhile.
  void start_worker(std::size_t worker) {
    const double since_ns = static_cast<double>(workers_ - 1 - worker) * model_.start.build_ns;
    const double left_ns = std::max(0.0, model_.start.start_ns - since_ns);
    state_[worker].first_ns = model_.start.first_fetch_ns;
    if (left_ns <= 0) return;
    state_[worker].doing = Doing::kStart;
    on_core(actors_[worker], left_ns, 1);
  }

  // The batch is there: the hand-over, then the next index is sent, then the draw's own work.
  void take() {
    stage_ = Stage::kHandOver;
    step_thread().wall_due = now_ + (workers_ > 0 ? model_.ipc.main_fixed_ns : 0);
    if (workers_ > 0) {
      giver_ = (drawn_ - epoch_begin_) % workers_;
      if (computes(giver_)) step_thread().wall_due += model_.ipc.main_held_ns;
    }
    ++drawn_;
  }

  // Or is about to, without waiting before.
  bool computes(std::size_t worker) const {
    const Doing doing = state_[worker].doing;
    return doing == Doing::kCpu || (doing == Doing::kWait && actors_[worker].wall_due <= now_);
  }

  // The worker computes no more, so that it answers at once.
  void release(std::size_t worker) {
    if (stage_ != Stage::kHandOver || worker != giver_) return;
    step_thread().wall_due = std::min(step_thread().wall_due, now_ + model_.ipc.main_fixed_ns);
  }

  double touch_ns() const {
    return workers_ > 0 ? model_.ipc.main_ns_per_byte * model_.batch_bytes : 0;
  }

  void go_on() {
    const StepCost& cost = step_cost(step_);
    const auto parts = static_cast<double>(draws_of(step_));
    switch (stage_) {
      case Stage::kBlocked:
        break;
      case Stage::kFetchWait:
        stage_ = Stage::kFetchCpu;
        on_core(step_thread(), fetch_cost(drawn_).cpu_ns, 1);
        break;
      case Stage::kFetchCpu:
        fetch_sum_ += now_ - fetch_began_;
        ++fetch_count_;
        take();
        break;
      case Stage::kHandOver:
        if (workers_ > 0) send_to(drawn_ + depth_);
        stage_ = Stage::kDraw;
        on_core(step_thread(), model_.draw_ns + touch_ns(), 1);
        break;
      case Stage::kDraw:
        busy_began_ = now_;
        stage_ = Stage::kHost;
        on_core(step_thread(), cost.host_ns / parts, 1);
        break;
      case Stage::kHost:
        stage_ = Stage::kComputeWait;
        step_thread().wall_due =
            now_ + std::max(0.0, 1 - cost.compute_cores) * cost.compute_ns / parts;
        break;
      case Stage::kComputeWait:
        stage_ = Stage::kCompute;
        on_core(step_thread(), std::min(1.0, cost.compute_cores) * cost.compute_ns / parts,
                std::max(1.0, cost.compute_cores));
        break;
      case Stage::kCompute:
        if (++step_draw_ < draws_of(step_)) {
          end_busy();
          begin_draw();
        } else {
          give_to_device(cost);
        }
        break;
      case Stage::kDevice:
        end_busy();
        ++step_;
        begin_step();
        break;
    }
  }

  // The device works from when the step's launches begin; the host may run one
  // step ahead of it.
  void give_to_device(const StepCost& cost) {
    const double previous_done = device_free_;
    device_free_ = std::max(device_free_, busy_began_) + cost.device_ns;
    stage_ = Stage::kDevice;
    step_thread().wall_due = std::max(now_, previous_done);
  }

  void end_busy() {
    if (step_ >= warm_up_) busy_sum_ += now_ - busy_began_;
  }

  const LoopModel& model_;
  std::span<const FetchCost> fetches_;
  std::span<const StepCost> steps_;
  std::size_t warm_up_;
  std::size_t workers_;
  std::size_t depth_;  // batches in flight
  std::size_t epoch_ = 0;

  double now_ = 0;
  double wanted_;              // cores
  std::vector<Actor> actors_;  // the workers, then the step thread
  std::vector<WorkerState> state_;
  std::vector<bool> ready_;  // by batch
  std::size_t sent_ = 0;     // batches whose index was sent
  std::size_t drawn_ = 0;
  std::size_t epoch_begin_ = 0;
  std::size_t giver_ = 0;  // worker of the batch that is being handed over

  Stage stage_ = Stage::kBlocked;
  std::size_t step_ = 0;
  std::size_t step_draw_ = 0;
  double busy_began_ = 0;
  double fetch_began_ = 0;
  double device_free_ = 0;

  double counted_from_ = 0;
  double busy_sum_ = 0;
  double fetch_sum_ = 0;
  std::size_t fetch_count_ = 0;
};

}  // namespace

LoopTimes simulate(const LoopModel& model, std::span<const FetchCost> fetches,
                   std::span<const StepCost> steps, std::size_t warm_up) {
  if (fetches.empty() || steps.empty() || !(model.cores > 0)) return {};
  return Loop(model, fetches, steps, warm_up).run();
}

}  // namespace flatout::analyse
