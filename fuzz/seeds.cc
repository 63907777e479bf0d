// Writes whole inputs for the fuzz targets, one file each, into folders named
// after them below argv[1]. Made from our own encoders, so that seeds follow
// the formats and no binary file needs to be kept.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "kernel_files.h"
#include "seed_exports.h"
#include "seed_file.h"
#include "seed_pictures.h"
#include "seed_records.h"
#include "seed_runs.h"
#include "seed_texts.h"
#include "seed_traces.h"
#include "seed_trackers.h"
#include "store/catalog.h"
#include "store/codec.h"
#include "store/disk.h"
#include "store/frame_log.h"
#include "store/store_fixture.h"
#include "wire/activity_record.h"
#include "wire/record.h"
#include "wire/ring.h"

namespace {

using flatout::fuzz::write_file;

template <typename T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_padded(std::string& out, std::string_view text) {
  out += text;
  out.append(flatout::wire::padded8(static_cast<std::uint32_t>(text.size())) - text.size(), '\0');
}

flatout::wire::RecordHead head(flatout::wire::RecordType type, std::size_t bytes) {
  return {static_cast<std::uint8_t>(type), 1, 0, static_cast<std::uint32_t>(bytes), 1000};
}

// One record of every kind.
std::string every_record() {
  using namespace flatout::wire;
  std::string ring;
  put(ring, LaneRecord{head(RecordType::kLane, sizeof(LaneRecord)), 7, 1});
  put(ring, PhaseRecord{head(RecordType::kPhaseBegin, sizeof(PhaseRecord)), kGradEnabled, 1, 0});
  put(ring, PhaseRecord{head(RecordType::kPhaseEnd, sizeof(PhaseRecord)), 0, 1, 32});
  put(ring, NameRecord{head(RecordType::kName, sizeof(NameRecord) + 16), 5, 11});
  put_padded(ring, "JPEG decode");
  put(ring, FactRecord{head(RecordType::kFact, sizeof(FactRecord) + 24), 6, 13});
  put_padded(ring, R"(loader{"workers":2})");
  BatchRecord batch{};
  batch.head = head(RecordType::kBatch, sizeof(BatchRecord) + sizeof(StageRecord));
  batch.samples = 32;
  batch.stage_count = 1;
  put(ring, batch);
  put(ring, StageRecord{5, 32, 900});
  put(ring, DevicePhaseRecord{head(RecordType::kDevicePhase, sizeof(DevicePhaseRecord)), 5, 1, 0});
  put(ring, head(RecordType::kStop, sizeof(RecordHead)));
  ActivityRecord activity{};
  activity.head = head(RecordType::kActivity, sizeof(ActivityRecord));
  activity.end_ns = 2000;
  activity.name = 5;
  put(ring, activity);
  CallRecord call{};
  call.head = head(RecordType::kCall, sizeof(CallRecord));
  call.end_ns = 2000;
  put(ring, call);
  TraceWindowRecord window{};
  window.head = head(RecordType::kTraceWindow, sizeof(TraceWindowRecord));
  window.end_ns = 3000;
  put(ring, window);
  return ring;
}

// Head and tail before them; see ring_fuzz.cc.
bool write_ring_seed(const std::string& folder) {
  const std::string ring = every_record();
  std::string input;
  put(input, static_cast<std::uint64_t>(ring.size()));
  put(input, std::uint64_t{0});
  return write_file(folder + "/every_record", input + ring);
}

// A header before them; see ring_file_fuzz.cc.
bool write_ring_file_seed(const std::string& folder) {
  using namespace flatout::wire;
  const std::string ring = every_record();
  RingHeader header{};
  std::memcpy(header.magic, kRingMagic, sizeof header.magic);
  header.version = kWireVersion;
  header.capacity = 1024;
  header.pid = 7;
  header.start_ticks = 9;
  header.head = ring.size();
  return write_file(folder + "/every_record",
                    std::string(reinterpret_cast<const char*>(&header), 256) + ring);
}

// `text` with `word` in place of each number.
std::string with_numbers(std::string_view text, std::string_view word) {
  constexpr std::string_view kDigits = "0123456789";
  std::string out;
  while (!text.empty()) {
    const auto from = std::min(text.find_first_of(kDigits), text.size());
    out += text.substr(0, from);
    text.remove_prefix(from);
    if (text.empty()) break;
    out += word;
    text.remove_prefix(std::min(text.find_first_not_of(kDigits), text.size()));
  }
  return out;
}

// Each of the kernel's files as it ought to be, and with numbers that cannot be;
// see kernel_fuzz.cc.
bool write_kernel_seeds(const std::string& folder) {
  bool ok = true;
  char number = 0;
  for (const auto& file : flatout::fuzz::kKernelFiles) {
    const std::string name = folder + "/file" + std::to_string(number);
    const std::string first(1, number++);
    ok &= write_file(name, first + std::string(file.text));
    for (const char* word : {"18446744073709551615", "-9223372036854775808", "1e300", "nan"}) {
      ok &= write_file(name + "with" + word, first + with_numbers(file.text, word));
    }
  }
  return ok;
}

// meta.json and staged.json; see meta_fuzz.cc.
bool write_meta_seeds(const std::string& folder) {
  const std::string meta =
      R"({"tags":["a","b"],"note":"n","later":{"x":[1]},"outcome":{"finding":"input_bound",)"
      R"("cause":"worker_cpu","summary":"s","confidence":0.9,"steps":3,"median_ms":1.5,)"
      R"("samples_per_s":9,"device_busy":0.5}})";
  const std::string staged = R"({"host":"h","log":"/var/tmp/flatout-0/ab2c-00000000/log.flo"})";
  return write_file(folder + "/meta", std::string(1, '\0') + meta) &&
         write_file(folder + "/staged", '\1' + staged) &&
         write_file(folder + "/nested", std::string(1, '\0') + R"({"later":)" +
                                            std::string(1500, '[') + std::string(1500, ']') + '}');
}

// A catalog with one run, and such a run's row; see catalog_fuzz.cc.
bool write_catalog_seeds(const std::string& folder) {
  using namespace flatout;
  const store::ScratchFolder scratch;
  const auto home = store::Home::at(scratch.path());
  const auto id = home.create_run(store::system_disk());
  if (!id || !write_file(home.log(*id), store::file_header())) return false;
  if (!store::list_catalog(home, store::viewpoint_here())) return false;
  const auto whole = base::read_file(scratch.path() / "catalog.sqlite");
  const std::string row =
      R"({"name":"n","state":1,"started_wall_ns":5,"duration_ns":7,"command":"c","host":"h",)"
      R"("sealed":true,"bytes":9,"tags":["a"],"note":"","outcome":"{\"finding\":\"f\",)"
      R"(\"cause\":\"\",\"summary\":\"s\",\"confidence\":1,\"steps\":3}"})";
  return whole && write_file(folder + "/whole", std::string(1, '\0') + *whole) &&
         write_file(folder + "/row", '\1' + row);
}

// Commands that are looked through, a word a line; see command_fuzz.cc.
bool write_command_seeds(const std::string& folder) {
  constexpr std::string_view kCommands[] = {
      "python3\n-X\ndev\n-I\ntrain.py\n--api-key=abc\n--token\nx",
      "env\n-u\nA\n-S\nB=1 nice -n 5\ntimeout\n-k\n5\n10\npython3\n-m\nrun",
      "srun\n--export=NONE\n-n\n4\npython3\na.py", "sudo\n-E\ndocker\nrun\n--rm\nimage\npython3"};
  bool ok = true;
  for (std::size_t i = 0; i < std::size(kCommands); ++i) {
    std::string text(kCommands[i]);
    text += "\n\nPYTHONPATH=/site:/x\nSLURM_EXPORT_ENV=NONE\nAWS_SECRET=1\n";
    std::ranges::replace(text, '\n', '\0');
    ok &= write_file(folder + "/command" + std::to_string(i), text);
  }
  return ok;
}

// A fact with each kind of field; see fact_fuzz.cc.
bool write_fact_seeds(const std::string& folder) {
  constexpr std::pair<const char*, const char*> kFacts[] = {
      {"loader",
       R"({"loader":1,"workers":2,"pin_memory":false,"batch_size":64,"native_refusal":""})"},
      {"loader_files", R"({"loader":1,"files":["/a"],"spec":{"x":[1]},"places":[[0,128,9000]]})"},
      {"engine_speed",
       R"({"pid":7,"loader":1,"samples_per_s":9e2,"cpu_ms":2,"threads":2,"size":[9,9]})"},
      {"engine", R"({"loader":65536,"threads":8,"read_busy_ns":5,"consumer_wait_ns":1e8})"},
      {"iterator", R"({"iterator":3,"loader":1,"worker_pids":[12,13]})"},
      {"model", R"({"class":"Net","dtypes":{"float32":7},"input":[32,3,224,224],"conv2d":true})"},
      {"framework",
       R"({"name":"t","args":{"gradient_accumulation_steps":4,"a":{"b":{}}},"steps":5})"},
      {"devices", R"({"devices":[{"index":0,"name":"A100","memory_bytes":9}]})"},
      {"knob", R"({"knob":"a","value":6,"from":{"x":null},"applied":true,"most":9})"},
      {"declared_knob", R"({"name":"w","value":-2,"least":-9223372036854775808,"most":12})"},
      {"samples", R"({"loader":1,"batches":32,"quantiles":[0,1.5],"rests":[8],"ended":true})"}};
  bool ok = true;
  for (const auto& [key, json] : kFacts) {
    ok &= write_file(folder + "/" + key, std::string(key) + "\n" + json);
  }
  return ok;
}

// A tracked run in two processes, with all that it can have; see tracked_fuzz.cc.
bool write_tracked_seeds(const std::string& folder) {
  return write_file(
      folder + "/all",
      R"(={"track":0,"set":{"in":"file"}})"
      "\n"
      R"(track_run {"track":0,"source":"wandb","id":"a","tags":["x"],"namespace":"m/1"})"
      "\n"
      R"(track_run {"track":1,"source":"wandb","id":"a"})"
      "\n"
      R"(track_config {"track":0,"set":{"lr":0.1,"a":{"b":1}},"remove":["a.b","c"]})"
      "\n"
      R"(track_config {"track":1,"in_file":"ab.json"})"
      "\n"
      R"(track_summary {"track":0,"set":{"best":1}})"
      "\n"
      R"(track_metric {"track":1,"name":"track_*","summary":"min, mean,none","goal":"max"})"
      "\n"
      R"(track_row {"track":0,"step":-1,"data":{"s":"x"}})"
      "\n"
      R"(track_alert {"track":1,"title":"t","text":"x","level":"WARN"})"
      "\n"
      R"(track_file {"track":0,"path":"m","file":"ab.pt","bytes":1,"artifact":{"n":1}})"
      "\n"
      R"(track_loss {"values":1})"
      "\n"
      R"(track_end {"track":1,"exit_code":1})");
}

// The reports of a tune and of a search, with every part that they can have.
bool write_story_seeds(const std::string& folder) {
  constexpr std::string_view kTune =
      R"({"schema":"flatout.tune/1","id":"k7f2","steps":40,"seconds":61.5,"ended_ns":17,)"
      R"("baseline":{"samples_per_s":412.5,"interval":[400.5,424.5],"noise":0.25,"runs":["k7f2"]},)"
      R"("trials":[{"knob":"a","from":0,"to":"x","predicted_speedup":2.5,"predicted_interval":[2.25,2.75],)"
      R"("speedup":2.5,"interval":[1.5,2.5],"loss_gate":"passed","kept":true,"runs":["m3qa"]}],)"
      R"("skipped":[{"knob":"b","reason":"no GPU"}],"knobs":{"a":"x"},"plan":"flatout.toml",)"
      R"("final":{"speedup":2.5,"interval":[1.5,2.5],"confirmed":true,"runs":["m3qb"]},)"
      R"("file_cache":{"state":"cold","files":7,"set_bytes":100},"notes":["n"],"wrote_outside":["/x"]})";
  constexpr std::string_view kSearch =
      R"({"schema":"flatout.search/1","id":"k7f2","objective":"log:loss","direction":"min",)"
      R"("steps":[20,60],"reduction":3,"seed":7,"slots":2,"launcher":"local",)"
      R"("baseline":{"rung":1,"steps":60,"value":0.5,"run":"k7f2","seconds":3.5},)"
      R"("points":[{"number":1,"arguments":{"--lr":0.5},"environment":{},"knobs":{},)"
      R"("results":[{"rung":0,"steps":20,"failure":"hung","seconds":1.5}]}],)"
      R"("final":{"number":1,"steps":60,"values":[0.5],"baseline_values":[0.75],)"
      R"("difference":-0.25,"interval":[-0.5,-0.125],"confirmed":true},"seconds":20.5})";
  return write_file(folder + "/tune", kTune) && write_file(folder + "/search", kSearch);
}

// Named values of one tracked run, and of two.
bool write_value_seeds(const std::string& folder) {
  using namespace flatout;
  const std::vector<run::NamedValue> plain = {
      {.t_ns = 5, .value = 0.5, .step = 1, .name = "loss"},
      {.t_ns = 9, .value = -1, .step = run::NamedValue::kNoStep, .name = "lr"}};
  std::vector<run::NamedValue> tracked = plain;
  tracked[1].track = 3;
  return write_file(folder + "/plain", store::encode_values(7, plain)) &&
         write_file(folder + "/tracked", store::encode_values(7, tracked));
}

// Whole recordings; see seal_fuzz.cc and report_fuzz.cc.
bool write_recordings(const std::string& folder) {
  using namespace flatout::fuzz;
  return write_file(folder + "/each_type", joined(each_type())) &&
         write_file(folder + "/loaded", joined(loaded_run())) &&
         write_file(folder + "/measured", joined(measured_run())) &&
         write_file(folder + "/engine", joined(engine_run())) &&
         write_file(folder + "/device", joined(device_run()));
}

bool make_folder(const std::string& path) {
  return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  constexpr std::pair<const char*, bool (*)(const std::string&)> kTargets[] = {
      {"log", flatout::fuzz::write_log_seeds},
      {"sealed", flatout::fuzz::write_sealed_seeds},
      {"curves", flatout::fuzz::write_curve_seeds},
      {"meta", write_meta_seeds},
      {"catalog", write_catalog_seeds},
      {"ring", write_ring_seed},
      {"ring_file", write_ring_file_seed},
      {"kernel", write_kernel_seeds},
      {"command", write_command_seeds},
      {"report", write_recordings},
      {"seal", write_recordings},
      {"fact", write_fact_seeds},
      {"json_check", flatout::fuzz::write_loader_spec_seeds},
      {"tracked", write_tracked_seeds},
      {"plan", flatout::fuzz::write_plan_seeds},
      {"space", flatout::fuzz::write_space_seeds},
      {"budget", flatout::fuzz::write_budget_seeds},
      {"output", flatout::fuzz::write_output_seeds},
      {"query", flatout::fuzz::write_query_seeds},
      {"value_columns", write_value_seeds},
      {"top_keys", flatout::fuzz::write_top_keys_seeds},
      {"trial_job", flatout::fuzz::write_trial_job_seeds},
      {"outcomes", flatout::fuzz::write_outcomes_seeds},
      {"tune", flatout::fuzz::write_tune_seeds},
      {"story", write_story_seeds},
      {"trace", flatout::fuzz::write_trace_seeds},
      {"nsys", flatout::fuzz::write_nsys_seeds},
      {"trackers", flatout::fuzz::write_tracker_seeds},
      {"jpeg", flatout::fuzz::write_jpeg_seeds},
      {"png", flatout::fuzz::write_png_seeds},
      {"webp", flatout::fuzz::write_webp_seeds},
      {"loader_spec", flatout::fuzz::write_loader_spec_seeds},
      {"image", flatout::fuzz::write_image_seeds},
      {"tar", flatout::fuzz::write_tar_seeds},
      {"compressed", flatout::fuzz::write_compressed_seeds},
      {"shard", flatout::fuzz::write_shard_seeds},
      {"npy", flatout::fuzz::write_npy_seeds},
      {"cache", flatout::fuzz::write_cache_seeds},
      {"folder_index", flatout::fuzz::write_folder_index_seeds}};
  const std::string root = argv[1];
  bool ok = make_folder(root);
  for (const auto& [name, write] : kTargets) {
    const std::string folder = root + "/" + name;
    ok = ok && make_folder(folder) && write(folder);
  }
  if (!ok) std::fprintf(stderr, "seeds: cannot write below %s\n", root.c_str());
  return ok ? 0 : 1;
}
