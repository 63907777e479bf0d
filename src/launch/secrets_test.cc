#include "launch/secrets.h"

#include <gtest/gtest.h>

#include <random>

namespace flatout::launch {
namespace {

using Argv = std::vector<std::string>;

struct MaskCase {
  Argv argv;
  Argv masked;
};

TEST(MaskSecrets, MasksByNameByShapeAndInsideText) {
  const MaskCase cases[] = {
      {{"--api-key=abc"}, {"--api-key=****"}},
      {{"--api_key", "abc", "x"}, {"--api_key", "****", "x"}},
      {{"--token", "X", "--epochs", "3"}, {"--token", "****", "--epochs", "3"}},
      {{"--hf-token=a,b;c=d"}, {"--hf-token=****"}},
      {{"FOO_SECRET=abc", "python"}, {"FOO_SECRET=****", "python"}},
      {{"env", "HF_TOKEN=abc"}, {"env", "HF_TOKEN=****"}},
      {{"+wandb.apiKey=abc"}, {"+wandb.apiKey=****"}},
      {{"--db-password", "two words"}, {"--db-password", "****"}},
      {{"x", "sk-proj-abcdefgh12345678"}, {"x", "****"}},
      {{"hf_abcdefghij0123456789"}, {"****"}},
      {{"AKIAIOSFODNN7EXAMPLE"}, {"****"}},
      {{"--aws-secret-access-key", "wJalr"}, {"--aws-secret-access-key", "****"}},
      {{"sh", "-c", "HF_TOKEN=abc python train.py --lr 1"},
       {"sh", "-c", "HF_TOKEN=**** python train.py --lr 1"}},
      {{"sh", "-c", "run --token abc --epochs 3; echo"},
       {"sh", "-c", "run --token **** --epochs 3; echo"}},
      {{"sh", "-c", "PASSWORD='a b' x"}, {"sh", "-c", "PASSWORD='****' x"}},
      {{R"({"lr":1,"api_key":"abc","b":2})"}, {R"({"lr":1,"api_key":"****","b":2})"}},
      {{R"({"api_key": "abc"})"}, {R"({"api_key": "****"})"}},
      {{"https://host/x?a=1&token=abc&b=2"}, {"https://host/x?a=1&token=****&b=2"}},
      {{"postgres://me:pw@host/db"}, {"postgres://me:****@host/db"}},
      {{"-H", "Authorization: Bearer abc.def"}, {"-H", "Authorization: Bearer ****"}},
      {{"--key", "9f8e7d6c5b4a39281706f5e4"}, {"--key", "****"}},
  };
  for (const MaskCase& c : cases) EXPECT_EQ(mask_secrets(c.argv), c.masked) << c.argv.front();
}

TEST(MaskSecrets, LeavesOrdinaryArgumentsAlone) {
  const Argv kept[] = {
      {"python", "train.py", "--tokenizer", "gpt2", "--max-tokens", "512"},
      {"--pad-token", "<pad>", "--sort-key", "length", "--key=jpg"},
      {"--max_tokens=2048", "--num-keys", "8", "--monkey", "patch"},
      {"--token", "--verbose"},
      {"sh", "-c", "python train.py --tokenizer-path a/b --keyboard us"},
      {"sh", "-c", "x --token $HF_TOKEN"},
      {"https://host:8080/a@b", "user@host:/path", "sk-learn", "hf_model"},
      {"", "-", "--", "=", ":", "a=", "--token="},
      {"--config", R"({"tokens": 5, "lr": 0.1})"},
      {"--checkpoint", "runs/2026-01-02T03:04:05/model_00000123456789.pt"},
  };
  for (const Argv& argv : kept) EXPECT_EQ(mask_secrets(argv), argv) << argv.front();
}

TEST(MaskSecrets, AnyBytesAreSurvivedAndAKnownSecretNeverIs) {
  std::mt19937 random(7);
  const std::string alphabet = "ab-_=:'\"\\ {}&;,$@/T0\xff\n";
  for (int round = 0; round < 3000; ++round) {
    Argv argv(3);
    for (std::string& text : argv) {
      const std::size_t size = random() % 24;
      for (std::size_t i = 0; i < size; ++i) text += alphabet[random() % alphabet.size()];
    }
    EXPECT_EQ(mask_secrets(argv).size(), 3U);
    // At the end: an open quote before it would make it part of another value.
    argv.insert(argv.end(), {"--api-key", "Q9secretQ9", "MY_TOKEN=Q9secretQ9"});
    for (const std::string& text : mask_secrets(argv)) EXPECT_FALSE(text.contains("Q9secretQ9"));
  }
}

}  // namespace
}  // namespace flatout::launch
