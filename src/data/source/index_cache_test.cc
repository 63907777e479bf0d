// A folder's listing, kept: used while it is right, and never otherwise.
#include "data/source/index_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "base/file.h"
#include "data/source/folder_fixture.h"
#include "data/source/image_folder.h"

namespace flatout::data {
namespace {

constexpr base::WallNs kLater = base::WallNs{1} << 62;  // long after the files of a test were made

class IndexCacheTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    for (const char* name : {"set/cat/1.jpg", "set/cat/a/2.png", "set/cat/a-b/3.jpg",
                             "set/dog/4.webp", "set/dog/notes.txt", "set/dog/empty/x.txt"})
      write(name, "x");
    cache_.emplace(root_ / "caches" / "index", 1);
    age();
  }

  // Folders that changed long ago: a change from now on shows, however coarse the system's times
  // are.
  void age() const {
    namespace fs = std::filesystem;
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1000);
    fs::last_write_time(root_ / "set", long_ago);
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "set"))
      if (entry.is_directory()) fs::last_write_time(entry.path(), long_ago);
  }

  std::string set() const { return (root_ / "set").string(); }

  static std::string text_of(const ImageFolder& folder) {
    std::string out;
    for (const std::string& name : folder.classes) out += name + " ";
    for (std::int64_t i = 0; i < folder.files->size(); ++i)
      out += folder.files->short_name(i) + "=" + std::to_string(folder.files->label(i)) + " ";
    return out;
  }

  // What open_image_folder() keeps, as of a listing that began long after the last change.
  void keep() const {
    const auto listing = listing_of();
    cache_->keep(listing, kLater);
    ASSERT_TRUE(cache_->find(set()));
  }

  FolderListing listing_of() const {
    FolderListing listing{.root = set(), .root_stamp = stamp_of(set()).value()};
    for (const auto& [path, files] :
         {std::pair{"cat", 1}, {"cat/a", 1}, {"cat/a-b", 1}, {"dog", 1}, {"dog/empty", 0}}) {
      listing.folders.push_back(
          {path, stamp_of(set() + "/" + path).value(), static_cast<std::uint64_t>(files)});
    }
    listing.names = std::string("1.jpg\0002.png\0003.jpg\0004.webp\0", 25);
    return listing;
  }

  std::filesystem::path file() const {
    return std::filesystem::directory_iterator(root_ / "caches/index")->path();
  }

  std::optional<IndexCache> cache_;
};

TEST_F(IndexCacheTest, WhatIsKeptIsWhatWasThere) {
  const std::string listed = text_of(open_image_folder(set()).value());
  EXPECT_EQ(listed, "cat dog cat/1.jpg=0 cat/a/2.png=0 cat/a-b/3.jpg=0 dog/4.webp=1 ");
  keep();
  EXPECT_EQ(text_of(open_image_folder(set(), &*cache_).value()), listed);
  // It is the kept one that was given: one that says otherwise is believed.
  FolderListing other = listing_of();
  other.names[0] = '9';
  cache_->keep(other, kLater);
  EXPECT_NE(text_of(open_image_folder(set(), &*cache_).value()), listed);
  struct stat facts{};
  ASSERT_EQ(::stat((root_ / "caches").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
}

TEST_F(IndexCacheTest, AnyFolderThatChangedMeansListingAnew) {
  for (const char* name : {"set/cat/a-b/5.jpg", "set/dog/empty/6.jpg", "set/eel/7.jpg"}) {
    age();
    keep();
    write(name, "x");
    EXPECT_FALSE(cache_->find(set())) << name;
    const std::string listed = text_of(open_image_folder(set(), &*cache_).value());
    EXPECT_NE(listed.find(std::string(name).substr(4)), std::string::npos);
    std::filesystem::remove(root_ / name);
    std::filesystem::remove(root_ / "set/eel");
  }
  keep();
  std::filesystem::remove_all(root_ / "set/dog");
  EXPECT_FALSE(cache_->find(set()));
}

TEST_F(IndexCacheTest, WhatChangedJustNowOrIsSmallIsNotKept) {
  ASSERT_TRUE(open_image_folder(set(), &*cache_));  // the folders are younger than two seconds
  EXPECT_FALSE(cache_->find(set()));
  IndexCache(root_ / "caches/index").keep(listing_of(), kLater);
  EXPECT_FALSE(cache_->find(set()));
}

TEST_F(IndexCacheTest, DamageMeansListingAnew) {
  keep();
  const std::string whole = base::read_file(file()).value();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bad = whole;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    EXPECT_FALSE(read_folder_index(bad, set())) << i;
    EXPECT_FALSE(read_folder_index(std::string_view(whole).substr(0, i), set())) << i;
  }
  EXPECT_FALSE(read_folder_index(whole, set() + "2"));
  ASSERT_TRUE(base::write_file_atomic(file(), whole.substr(0, 99)));
  EXPECT_TRUE(open_image_folder(set(), &*cache_));
  // A folder that cannot be written to is no error either.
  write("plain", "x");
  const IndexCache nowhere(root_ / "plain", 1);
  EXPECT_TRUE(open_image_folder(set(), &nowhere));
}

// Right checksums around what no listing says.
TEST_F(IndexCacheTest, WhatNoFolderHasIsRefused) {
  const auto refused = [&](auto change) {
    FolderListing listing = listing_of();
    change(listing);
    return !read_folder_index(folder_index_text(listing), set());
  };
  EXPECT_FALSE(refused([](FolderListing&) {}));
  EXPECT_TRUE(refused([](FolderListing& one) { one.folders[0].files = 2; }));
  EXPECT_TRUE(refused([](FolderListing& one) { one.folders[0].files = 1ULL << 63; }));
  EXPECT_TRUE(refused([](FolderListing& one) { one.folders[1].path = "dog/a"; }));
  EXPECT_TRUE(refused([](FolderListing& one) { one.folders[1].path = "cat/../a"; }));
  EXPECT_TRUE(refused([](FolderListing& one) { one.folders[1].path = ""; }));
  EXPECT_TRUE(refused([](FolderListing& one) { one.folders.clear(); }));
  EXPECT_TRUE(refused([](FolderListing& one) { one.names[0] = '/'; }));
  EXPECT_TRUE(refused([](FolderListing& one) { one.names.pop_back(); }));
  EXPECT_TRUE(refused([](FolderListing& one) { one.folders.push_back({"eel", {}, 0}); }));
}

}  // namespace
}  // namespace flatout::data
