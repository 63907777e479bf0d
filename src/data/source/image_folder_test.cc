#include "data/source/image_folder.h"

#include "data/source/folder_fixture.h"

namespace flatout::data {
namespace {

class ImageFolderTest : public FolderTest {
 protected:
  std::vector<std::string> names(const ImageFolder& folder) const {
    std::vector<std::string> out;
    for (std::int64_t i = 0; i < folder.files->size(); ++i) {
      out.push_back(folder.files->name(i).substr(root_.string().size() + 1) + "=" +
                    std::to_string(folder.files->label(i)));
    }
    return out;
  }

  std::string error() const {
    const auto folder = open_image_folder(root_);
    return folder ? "opened" : folder.error().message;
  }
};

// A listing of a million files, of which two are there.
TEST_F(ImageFolderTest, AMillionFilesCostTheirPathsAndSixteenBytesEach) {
  constexpr std::uint64_t kClasses = 1000;
  constexpr std::uint64_t kFilesOfClass = 1000;
  FolderListing listing{.root = root_.string(), .root_stamp = {}};
  std::size_t path_bytes = 0;
  for (std::uint64_t i = 0; i < kClasses; ++i) {
    const std::string name = "n0" + std::to_string(1'440'000 + i);
    listing.folders.push_back({name, {}, kFilesOfClass});
    for (std::uint64_t file = 0; file < kFilesOfClass; ++file) {
      const std::string picture = name + "_" + std::to_string(file) + ".JPEG";
      (listing.names += picture) += '\0';
      path_bytes += name.size() + 1 + picture.size();
    }
  }
  const std::string kept = folder_index_text(listing);
  const auto listed = read_folder_index(kept, listing.root);
  ASSERT_TRUE(listed) << listed.error().message;
  const ImageFolder folder = image_folder_of(*listed);
  const FileList& files = *folder.files;
  ASSERT_EQ(files.size(), 1'000'000);
  EXPECT_EQ(files.label(999'999), 999);
  EXPECT_LE(files.memory_bytes(), path_bytes + 16 * 1'000'000 + 64);
  RecordProperty("path_bytes", std::to_string(path_bytes));
  RecordProperty("index_bytes", std::to_string(kept.size()));
  write(files.short_name(0), "first");
  write(files.short_name(999'999), "last");
  ReadBuffer buffer;
  EXPECT_EQ(text_of(files.read(0, buffer).value()), "first");
  EXPECT_EQ(text_of(files.read(999'999, buffer).value()), "last");
  EXPECT_TRUE(files.read(500'000, buffer).error().message.contains("n01440500_0.JPEG"));
}

TEST_F(ImageFolderTest, OrderIsTorchvisions) {
  for (const char* name : {"dog/b.jpg", "dog/a.JPG", "cat/z.png", "cat/sub/m.jpeg", "cat/notes.txt",
                           "Zebra/q.webp", "readme.jpg"})
    write(name, "x");
  const auto folder = open_image_folder(root_).value();
  EXPECT_EQ(folder.classes, (std::vector<std::string>{"Zebra", "cat", "dog"}));
  EXPECT_EQ(names(folder),
            (std::vector<std::string>{"Zebra/q.webp=0", "cat/z.png=1", "cat/sub/m.jpeg=1",
                                      "dog/a.JPG=2", "dog/b.jpg=2"}));
}

TEST_F(ImageFolderTest, FoldersOfAClassComeByPathAsAWhole) {
  // "a-b" sorts before "a/c": os.walk's paths are sorted as text.
  for (const char* name : {"k/a/c/1.jpg", "k/a-b/2.jpg", "k/a/3.jpg"}) write(name, "x");
  EXPECT_EQ(names(open_image_folder(root_).value()),
            (std::vector<std::string>{"k/a/3.jpg=0", "k/a-b/2.jpg=0", "k/a/c/1.jpg=0"}));
}

TEST_F(ImageFolderTest, LinksAreFollowedButNotInCircles) {
  write("real/1.jpg", "x");
  std::filesystem::create_directory_symlink(root_ / "real", root_ / "link");
  EXPECT_EQ(names(open_image_folder(root_).value()),
            (std::vector<std::string>{"link/1.jpg=0", "real/1.jpg=1"}));
  std::filesystem::create_directory_symlink(root_ / "real", root_ / "real/again");
  EXPECT_NE(error().find("a link to a folder that it lies in"), std::string::npos) << error();
}

TEST_F(ImageFolderTest, WhatIsMissingIsNamed) {
  EXPECT_NE(error().find("no class folder"), std::string::npos) << error();
  std::filesystem::create_directory(root_ / "bare");
  EXPECT_NE(error().find("/bare: a class folder without a picture"), std::string::npos) << error();
  EXPECT_EQ(open_image_folder(root_ / "absent").error().code, base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace flatout::data
