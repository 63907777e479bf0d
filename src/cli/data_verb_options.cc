#include "cli/data_verb_options.h"

#include "cli/verb_parts.h"

namespace flatout::cli {

void add_bench(CLI::App& app, ParsedWords& to) {
  CLI::App* bench = add_verb(app, to, "bench", "measure loading alone, and name its ceiling");
  bench->add_option("SUBJECT", to.bench.subject, "data")
      ->required()
      ->check(CLI::IsMember({"data"}))
      ->type_name("");
  bench
      ->add_option("FOLDER", to.bench.folder,
                   "a folder with one folder of JPEG, PNG or WebP files a class, or a packed one")
      ->type_name("");
  bench->add_option("--spec", to.bench.spec_file, "a description of the loader, as JSON")
      ->type_name("FILE");
  bench->add_option("--size", to.bench.size, "pixels a side, where there is no spec (224)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  bench->add_option("--batch", to.bench.batch_size, "samples a batch (64)")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  bench->add_option("--threads", to.bench.threads, "default: as many as CPUs are usable")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  bench->add_option("--epochs", to.bench.epochs, "that are counted, after one that is not (5)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  bench->add_option("--cache", to.bench.cache, "keep samples in memory: encoded or decoded")
      ->check(CLI::IsMember({"encoded", "decoded"}))
      ->type_name("KEEP");
  bench->add_option("--cache-mb", to.bench.cache_mb, "MiB of it; default: a share of what is free")
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N");
  add_format(bench, to, {"text", "json"});
}

void add_pack(CLI::App& app, ParsedWords& to) {
  CLI::App* pack = add_verb(app, to, "pack", "rewrite a set of images so that it loads faster");
  pack->add_option("SRC DST", to.pack.from, "a folder of class folders, or tar files; where to")
      ->required()
      ->expected(2, 1 << 20)
      ->type_name("");
  pack->add_option("--kind", to.pack.kind, "jpeg, raw or original (default: jpeg)")
      ->check(CLI::IsMember({"jpeg", "raw", "original"}))
      ->type_name("KIND");
  pack->add_option("--size", to.pack.size, "of the shorter side, pixels (256)")
      ->check(CLI::Range(1, 1 << 14))
      ->type_name("N");
  pack->add_option("--quality", to.pack.quality, "of JPEG files, 1 to 100 (90)")
      ->check(CLI::Range(1, 100))
      ->type_name("N");
  pack->add_option("--shard-mb", to.pack.shard_mb, "MiB of a shard (256)")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  pack->add_option("--threads", to.pack.threads, "default: as many as CPUs are usable")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  auto* const unpack = pack->add_option("--unpack", to.pack.unpack,
                                        "folder that compressed tar files are unpacked to")
                           ->type_name("FOLDER");
  auto* const unpack_mb = pack->add_option("--unpack-mb", to.pack.unpack_mb, "MiB that it may have")
                              ->check(CLI::Range(1, 1 << 30))
                              ->type_name("N");
  unpack->needs(unpack_mb);
  unpack_mb->needs(unpack);
  add_format(pack, to, {"text", "json"});
}

}  // namespace flatout::cli
