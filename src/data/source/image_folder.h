// A folder of class folders, as torchvision.datasets.ImageFolder reads one.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/source/file_list.h"
#include "data/source/folder_listing.h"
#include "data/source/index_cache.h"

namespace flatout::data {

struct ImageFolder {
  std::vector<std::string> classes;  // sorted; a sample's label is its class's place here
  std::unique_ptr<FileList> files;
};

// Of a listing that read_folder_index() or open_image_folder() would give.
ImageFolder image_folder_of(const FolderListing& listing);

// Looks through `root` once. Classes and files come in torchvision's order: classes by name; within
// one the folders by path, and in each the files by name. A file counts by its ending, in any case
// (.jpg, .jpeg, .png, .ppm, .bmp, .pgm, .tif, .tiff, .webp); links are followed. Errors: no such
// folder, no class in it, a class without a picture, a link that leads back to a folder that it
// lies in. With a cache, a listing that was kept there and is still right takes the place of
// looking; what a link points to outside of the folder is then not looked at again.
base::Result<ImageFolder> open_image_folder(const std::filesystem::path& root,
                                            const IndexCache* cache = nullptr);

}  // namespace flatout::data
