#include "data/spec/loader_spec.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

namespace flatout::data::spec {
namespace {

std::string error(std::string_view text) {
  const auto spec = read_loader_spec(text);
  return spec ? "" : spec.error().message;
}

TEST(LoaderSpec, WhatIsNotSaidHasADefault) {
  const LoaderSpec spec = read_loader_spec("{}").value();
  EXPECT_EQ(spec.loader.batch_size, 1U);
  EXPECT_EQ(spec.threads, 0);
  EXPECT_TRUE(spec.tune);
  EXPECT_FALSE(spec.decoding.fast);
  EXPECT_FALSE(spec.order.shuffle);
  EXPECT_TRUE(spec.chain.steps.empty());
  EXPECT_EQ(spec.chain.type, transform::NumberType::kFloat32);
}

TEST(LoaderSpec, EverythingSaidIsTaken) {
  const LoaderSpec spec =
      read_loader_spec(
          R"({"images":"train","index_cache":false,"decode":"fast","threads":3,"batch_size":64,"drop_last":true,"ahead":4,
    "exif_orientation":true,"strict_orientation":true,
    "on_bad_sample":"skip","shuffle":true,"seed":18446744073709551615,"ranks":4,"rank":3,"drop_uneven":true,
    "dtype":"bfloat16","layout":"nhwc","normalize":{"mean":[0.5,0.25,0],"std":[1,2,3]},"scaling":"multiply",
    "steps":[{"random_resized_crop":{"size":[8,9],"scale":[0.1,0.5],"ratio":[1,2],"interpolation":"bicubic"}},
             {"random_horizontal_flip":1},"random_vertical_flip"]})")
          .value();
  EXPECT_EQ(spec.images, "train");
  EXPECT_EQ(spec.threads, 3);
  EXPECT_TRUE(spec.decoding.fast);
  EXPECT_FALSE(spec.index_cache);
  EXPECT_EQ(spec.loader.ahead, 4U);
  EXPECT_TRUE(spec.decoding.exif_orientation && spec.decoding.strict_orientation);
  EXPECT_EQ(spec.loader.on_bad, OnBadSample::kSkip);
  EXPECT_EQ(spec.order.seed, UINT64_MAX);
  EXPECT_EQ(spec.order.rank, 3);
  EXPECT_EQ(spec.chain.type, transform::NumberType::kBfloat16);
  EXPECT_EQ(spec.chain.normalization.std[2], 3.0F);
  EXPECT_EQ(spec.chain.normalization.scaling, transform::Scaling::kMultiply);
  ASSERT_EQ(spec.chain.steps.size(), 3U);
  const auto& crop = std::get<transform::RandomResizedCrop>(spec.chain.steps[0]);
  EXPECT_EQ(crop.size.height, 8);
  EXPECT_EQ(crop.size.width, 9);
  EXPECT_EQ(crop.scale_high, 0.5);
  EXPECT_EQ(crop.ratio_low, 1);
  EXPECT_EQ(crop.filter, transform::Filter::kBicubic);
  EXPECT_EQ(std::get<transform::RandomHorizontalFlip>(spec.chain.steps[1]).probability, 1);
}

TEST(LoaderSpec, ItTunesItselfWhereNoNumberOfThreadsIsGiven) {
  EXPECT_FALSE(read_loader_spec(R"({"threads":3})")->tune);
  EXPECT_TRUE(read_loader_spec(R"({"threads":3,"tune":true})")->tune);
  EXPECT_TRUE(read_loader_spec(R"({"ahead":3})")->tune);
  EXPECT_FALSE(read_loader_spec(R"({"tune":false})")->tune);
}

TEST(LoaderSpec, StepsMayHoldSteps) {
  const LoaderSpec spec =
      read_loader_spec(
          R"({"steps":[{"random_apply":{"steps":["grayscale",{"resize":[8,8]}],"p":0.2}},
      {"random_choice":{"steps":[["grayscale"],[]],"p":[1,3],"count":2,"distinct":true}},
      {"random_order":{"steps":[["grayscale"],[{"random_apply":{"steps":[]}}]]}},
      {"timm_operation":{"op":"ShearX","p":0.4,"magnitude":9,"deviation":0.5,"most":12,"fill":[1,2,3],"interpolation":"bicubic"}}]})")
          .value();
  const auto& applied = std::get<transform::RandomApply>(spec.chain.steps[0]);
  EXPECT_EQ(applied.of->lists[0].size(), 2U);
  EXPECT_EQ(applied.probability, 0.2);
  const auto& choice = std::get<transform::RandomChoice>(spec.chain.steps[1]);
  EXPECT_EQ(choice.weights, (std::vector<double>{1, 3}));
  EXPECT_EQ(choice.count, 2);
  EXPECT_TRUE(choice.distinct);
  const auto& order = std::get<transform::RandomOrder>(spec.chain.steps[2]);
  EXPECT_EQ(order.of->lists.size(), 2U);
  const auto& operation = std::get<transform::TimmOperation>(spec.chain.steps[3]);
  EXPECT_EQ(operation.kind, transform::TimmOperation::Kind::kShearX);
  EXPECT_EQ(operation.fill, (transform::Fill{1, 2, 3}));
  EXPECT_EQ(operation.filters.size(), 1U);
}

TEST(LoaderSpec, StepsWithinStepsThatCannotBeAreNamed) {
  EXPECT_EQ(error(R"({"steps":[{"random_apply":{"steps":["blur"]}}]})").substr(0, 57),
            "step 1 random_apply: there is no step \"blur\"; there are r");
  EXPECT_NE(error(R"({"steps":[{"random_choice":{"steps":["grayscale"]}}]})"), "");
  EXPECT_NE(error(R"({"steps":["random_order"]})"), "");
  EXPECT_NE(error(R"({"steps":[{"timm_operation":{"op":"Blur"}}]})"), "");
  std::string deep = "\"grayscale\"";
  for (int i = 0; i < 5; ++i) deep = R"({"random_apply":{"steps":[)" + deep + "]}}";
  EXPECT_NE(error(R"({"steps":[)" + deep + "]}").find("is nested more than 4 deep"),
            std::string::npos);
}

TEST(LoaderSpec, TimmsMixStandsAlone) {
  const LoaderSpec spec =
      read_loader_spec(
          R"({"mix":[{"timm":{"mixup_alpha":0.8,"cutmix_alpha":1,"p":0.9,"switch_p":0.4,"correct":false,"smoothing":0.2}}],"classes":9})")
          .value();
  ASSERT_TRUE(spec.mix.mirror && spec.mix.mixes());
  EXPECT_EQ(spec.mix.mirror->mixup_alpha, 0.8);
  EXPECT_FALSE(spec.mix.mirror->correct_share);
  EXPECT_NE(error(R"({"mix":[{"timm":{"alpha":1}}]})"), "");
}

TEST(LoaderSpec, AResizeToANumberIsOfTheShorterSide) {
  const auto spec = read_loader_spec(R"({"steps":[{"resize":20},{"resize":[10,12]}]})").value();
  EXPECT_EQ(std::get<transform::ResizeShorter>(spec.chain.steps[0]).side, 20);
  EXPECT_EQ(std::get<transform::Resize>(spec.chain.steps[1]).size.width, 12);
}

TEST(LoaderSpec, ACacheIsWhatIsSaid) {
  EXPECT_FALSE(read_loader_spec("{}")->cache.memory);
  const auto share = read_loader_spec(R"({"cache":{"memory_mb":"auto","keep":"decoded"}})").value();
  EXPECT_TRUE(share.cache.memory && share.cache.decoded);
  EXPECT_EQ(share.cache.memory_bytes, 0U);
  const auto both =
      read_loader_spec(R"({"cache":{"memory_mb":3,"folder":"/ssd","disk_mb":5}})").value();
  EXPECT_EQ(both.cache.memory_bytes, 3U << 20U);
  EXPECT_EQ(both.cache.folder, "/ssd");
  EXPECT_EQ(both.cache.disk_bytes, 5U << 20U);
  EXPECT_FALSE(both.cache.decoded);
}

// Each error names the key, and what it may be where that can be said.
TEST(LoaderSpec, WhatIsWrongIsNamed) {
  for (const auto& [text, part] :
       {std::pair<std::string_view, std::string_view>{"[]", "is not an object"},
        {"{", "no JSON"},
        {R"({"batchsize":3})", "\"batchsize\" is not known here"},
        {R"({"batch_size":0})", "\"batch_size\" is no whole number from 1"},
        {R"({"batch_size":1e3})", "\"batch_size\" is no whole number"},
        {R"({"threads":99999999999999999999})", "\"threads\" is no whole number"},
        {R"({"seed":-1})", "\"seed\" is no whole number"},
        {R"({"shuffle":1})", "\"shuffle\" is neither true nor false"},
        {R"({"images":7})", "\"images\" is no text"},
        {R"({"dtype":"int8"})", "\"dtype\" is \"int8\", which is none of float32, float16"},
        {R"({"decode":"half"})", "\"decode\" is \"half\", which is none of exact, fast"},
        {R"({"ranks":2,"rank":2})", "\"rank\" is no whole number from 0 to 1"},
        {R"({"normalize":{"mean":[1]}})", "normalize: \"mean\" is no list of 3 numbers"},
        {R"({"cache":{}})", "cache: \"memory_mb\" is missing, and so is \"folder\""},
        {R"({"cache":{"memory_mb":"all"}})", "\"memory_mb\" is no whole number from 1"},
        {R"({"cache":{"folder":"a"}})", "\"disk_mb\" is missing"},
        {R"({"cache":{"disk_mb":1}})", "\"folder\" is missing"},
        {R"({"cache":{"folder":"a","disk_mb":1,"keep":"decoded"}})", "kept in memory alone"},
        {R"({"decode":"fast","cache":{"memory_mb":9,"keep":"decoded"}})",
         "cache of decoded pictures"},
        {R"({"mix":3})", "\"mix\" is no list"},
        {R"({"mix":[{"cut":{}}]})", "\"mix\" holds what is neither"},
        {R"({"mix":[{"mixup":{"beta":1}}]})", "mix: mixup: \"beta\" is not known"},
        {R"({"steps":["rand_augment",{"random_affine":{}}]})", "\"degrees\" is missing"},
        {R"({"steps":[{"random_rotation":{"degrees":3,"fill":300}}]})", "\"fill\" is not within"},
        {R"({"steps":[{"gaussian_blur":{}}]})", "\"kernel_size\" is missing"},
        {R"({"steps":{}})", "\"steps\" is no list"},
        {R"({"steps":["blur"]})",
         "step 1: there is no step \"blur\"; there are random_resized_crop"},
        {R"({"steps":["random_resized_crop"]})", "step 1 random_resized_crop: \"size\" is missing"},
        {R"({"steps":[{"resize":2},{"center_crop":{"size":2,"fill":1}}]})",
         "step 2 center_crop: \"fill\" is not known"},
        {R"({"steps":[{"resize":{"size":[1,2,3]}}]})", "\"size\" is no list of 2 numbers"}}) {
    EXPECT_NE(error(text).find(part), std::string::npos) << text << ": " << error(text);
  }
}

TEST(LoaderSpec, TokensAndArrays) {
  const auto spec = read_loader_spec(
      R"({"tokens":{"files":["a","b"],"type":"uint16","header_bytes":1024,"out":"int32",
          "window":{"length":8,"stride":4}},"batch_size":3})");
  ASSERT_TRUE(spec) << spec.error().message;
  const auto& tokens = std::get<TokenSpec>(spec->arrays);
  EXPECT_EQ(tokens.files.size(), 2U);
  EXPECT_EQ(tokens.file.type, ElementType::kUint16);
  EXPECT_EQ(tokens.file.header_bytes, 1024U);
  EXPECT_EQ(std::get<TokenWindowOptions>(tokens.cut).stride, 4);
  EXPECT_EQ(std::get<TokenWindowOptions>(tokens.cut).out, ElementType::kInt32);
  EXPECT_FALSE(read_loader_spec("{}")->of_arrays());
  for (const auto& [text, part] : {
           std::pair<std::string_view, std::string_view>{R"({"tokens":{}})",
                                                         "\"files\" is missing"},
           {R"({"tokens":{"files":["a"],"type":"int3"}})", "none of uint8"},
           {R"({"tokens":{"files":["a"],"window":{"length":2},"pack":{"length":3}}})", "one of"},
           {R"({"tokens":{"files":["a"],"window":{}}})", "tokens: window: \"length\" is missing"},
           {R"({"tokens":{"files":["a"],"pack":{"length":3}}})", "where documents end"},
           {R"({"tokens":{"files":["a"],"index":"i","pad_to_bucket":{"lengths":[0]}}})",
            "\"lengths\" is no list"},
           {R"({"tokens":{"files":["a"],"window":{"length":2}},"steps":[]})",
            "\"steps\" is not known here"},
           {R"({"arrays":{"labels":"y"}})", "\"data\" is missing"},
           {R"({"arrays":{"data":"x","scale":2}})", "\"scale\""},
           {R"({"arrays":{"data":"x"},"tokens":{}})", "leave one"},
       }) {
    EXPECT_NE(error(text).find(part), std::string::npos) << text << ": " << error(text);
  }
}

TEST(LoaderSpec, ShardsAreAListOfPaths) {
  EXPECT_EQ(read_loader_spec(R"({"shards":["a.tar","b.tar"]})")->shards,
            (std::vector<std::string>{"a.tar", "b.tar"}));
  for (const char* text :
       {R"({"shards":"a.tar"})", R"({"shards":[]})", R"({"shards":["a.tar",1]})"}) {
    EXPECT_NE(error(text).find("shards"), std::string::npos) << text;
  }
}

TEST(LoaderSpec, CompressedShardsNeedAFolderAndItsBound) {
  const auto spec =
      read_loader_spec(R"({"shards":["a.tgz"],"unpack":{"folder":"/ssd","disk_mb":3}})");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->unpack.folder, "/ssd");
  EXPECT_EQ(spec->unpack.disk_bytes, std::uint64_t{3} << 20U);
  for (const char* text :
       {R"({"shards":["a"],"unpack":{"folder":"/ssd"}})",
        R"({"shards":["a"],"unpack":{"disk_mb":3}})", R"({"shards":["a"],"unpack":"/ssd"})",
        R"({"images":"a","unpack":{"folder":"/ssd","disk_mb":3}})"})
    EXPECT_NE(error(text).find("unpack"), std::string::npos) << text;
}

}  // namespace
}  // namespace flatout::data::spec
