// Seeds for what the loading engine reads: pictures, shards and caches of them, arrays of numbers,
// and its description of a loader.
#pragma once

#include <string>

namespace flatout::fuzz {

// Each writes its files below a folder that is there; false where that fails.
bool write_jpeg_seeds(const std::string& folder);
bool write_png_seeds(const std::string& folder);
bool write_webp_seeds(const std::string& folder);
bool write_loader_spec_seeds(const std::string& folder);
bool write_image_seeds(const std::string& folder);
bool write_tar_seeds(const std::string& folder);
bool write_compressed_seeds(const std::string& folder);
bool write_shard_seeds(const std::string& folder);
bool write_npy_seeds(const std::string& folder);
bool write_cache_seeds(const std::string& folder);
bool write_folder_index_seeds(const std::string& folder);

}  // namespace flatout::fuzz
