"""Ways to write a secret on a command line, and words that are none.

`S` stands for the secret part; the tests fill it with letters and digits, so that no file
here looks like a key to anybody's scanner.
"""

# Weak ones: a name says what they are, whatever the value.
NAMED = [
    "PGPASSWORD={S}", "--password={S}", "--password {S}", "--passwd {S}", "--db-password={S}",
    "--db_password {S}", "MYSQL_PWD={S}", "SSHPASS={S}", "--token {S}", "--token={S}", "--hf-token={S}",
    "--hf_token {S}", "HF_TOKEN={S}", "HUGGING_FACE_HUB_TOKEN={S}", "WANDB_API_KEY={S}", "--wandb_key {S}",
    "--wandb-key={S}", "--wandb_key={S}", "--comet-key {S}", "--neptune_key={S}", "--openai-key {S}",
    "--api-key {S}", "--api_key={S}", "--apikey {S}", "--apiKey={S}", "+wandb.apiKey={S}", "OPENAI_API_KEY={S}",
    "--aws-secret-access-key {S}", "AWS_SECRET_ACCESS_KEY={S}", "--secret {S}", "--client-secret={S}",
    "--clientSecret {S}", "--secret-key={S}", "--private-key={S}", "--access-token {S}", "--accessToken={S}",
    "--auth-token={S}", "--passphrase {S}", "--credentials={S}", "--master-key {S}", "DB_PASS={S}",
    "-u user:{S}", "--user user:{S}", "--proxy-user me:{S}",
    "postgres://u:{S}@h/db", "mysql://root:{S}@h:3306/db", "redis://:{S}@h:6379", "https://user:{S}@host/x.git",
    "amqp://a:{S}@h", "mongodb+srv://u:{S}@c.example.net", "https://h/x?api_key={S}&b=2", "https://h/x?token={S}",
    "https://h/x?access_token={S}&a=1", "https://h/x?password={S}",
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={S};EndpointSuffix=x",
    "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey={S}", "Server=h;User=sa;Password={S};",
    "host=h user=u password={S} dbname=d", "Authorization:@Bearer@{S}", "Authorization:@token@{S}", "X-Api-Key:@{S}",
    "Private-Token:@{S}", '{"api_key":"{S}"}', '{"password": "{S}"}'.replace(" ", "@"),
]

# The prefix says it, wherever it stands.
PREFIXES = [
    "sk-", "sk-proj-", "sk-ant-api03-", "sk_live_", "sk_test_", "rk_live_", "npm_", "hvs.", "r8_", "hf_", "ghp_", "gho_",
    "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-", "xapp-", "AKIA", "ASIA", "AIza",
    "ya29.", "dop_v1_", "dapi", "nvapi-", "pypi-", "dckr_pat_", "SG.", "shpat_", "gsk_", "glsa_", "lin_api_", "eyJ",
]

# In the middle of others.
INSIDE = ["--x={K}", "{K}", "https://{K}@github.com/a/b", "key={K}", "--header=X:{K}"]

INNOCENT = [
    "train.py", "--tokenizer", "gpt2", "--max-tokens", "512", "--pad-token", "<pad>", "--sort-key", "length",
    "--lr=0.1", "-5", "3.14159265358979", "runs/2026-01-02T03:04:05/model_00000123456789.pt",
    "3f786850e387550fdab836ed7e6dc881de23001b", "550e8400-e29b-41d4-a716-446655440000",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "meta-llama/Meta-Llama-3.1-8B-Instruct", "Qwen2.5-VL-7B-Instruct-GPTQ-Int4", "ResNet50ImageNet1kPretrainedV2Weights",
    "vit_base_patch16_224.augreg2_in21k_ft_in1k", "https://host:8080/a@b", "user@host:/path", "sk-learn", "hf_model",
    "/data/imagenet/train/n01440764/n01440764_10026.JPEG", "--image-tokens=256", "--key=jpg", "module.submodule:function",
    "jolly-sunset-42", "exp_2026-11-23_lr3e-4_bs256_seed42", "--monkey", "patch", "10.0.0.1:29500",
]
