/* Every call of flatout.h from C99: its codes without a recorder and with one, in
 * threads and after fork. Starts itself again with a ring directory. */
#include <dirent.h>
#include <errno.h>
#include <flatout/flatout.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures = 0;

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      ++failures;                                             \
    }                                                         \
  } while (0)

static const int kPhases[] = {FLATOUT_DATA_WAIT, FLATOUT_H2D,        FLATOUT_FORWARD,
                              FLATOUT_BACKWARD,  FLATOUT_OPTIMIZER,  FLATOUT_COMM,
                              FLATOUT_SYNC,      FLATOUT_CHECKPOINT, FLATOUT_EVAL};

/* 1 where each call over a tracked run says `status`. */
static int no_call_tracks(int track, int status) {
  return flatout_track_log(track, "loss", 1, 0) == status &&
         flatout_track_log_text(track, "said", "x", 0) == status &&
         flatout_track_config_number(track, "a", 1) == status &&
         flatout_track_config_text(track, "a", "x") == status &&
         flatout_track_config_json(track, "{}") == status &&
         flatout_track_summary_number(track, "a", 1) == status &&
         flatout_track_summary_text(track, "a", "x") == status &&
         flatout_track_summary_json(track, "{}") == status &&
         flatout_track_file(track, "/proc/self/exe", NULL) == status &&
         flatout_track_artifact(track, "/proc/self/exe", "me", NULL) == status &&
         flatout_track_alert(track, "title", NULL, FLATOUT_ALERT_INFO) == status &&
         flatout_track_finish(track, 0) == status;
}

static void everything_is_off(void) {
  CHECK(flatout_active() == 0);
  CHECK(flatout_phase_begin(FLATOUT_FORWARD) == FLATOUT_OFF);
  CHECK(flatout_phase_begin(12345) == FLATOUT_OFF);
  CHECK(flatout_phase_end(FLATOUT_FORWARD) == FLATOUT_OFF);
  CHECK(flatout_step_end(8) == FLATOUT_OFF);
  CHECK(flatout_log("loss", 1, 0) == FLATOUT_OFF);
  CHECK(flatout_log(NULL, 1, 0) == FLATOUT_OFF);
  CHECK(flatout_device("cpu") == FLATOUT_OFF);
  CHECK(flatout_knob_int("planned", 2, 0, 12) == 2);
  CHECK(flatout_knob_int(NULL, 2, 0, 12) == 2);
  for (int track = -1; track < 2; ++track) CHECK(no_call_tracks(track, FLATOUT_OFF));
  CHECK(flatout_track_open(NULL) == 0);
}

static void phases_nest_and_close(void) {
  for (size_t i = 0; i < sizeof kPhases / sizeof *kPhases; ++i) {
    CHECK(flatout_phase_begin(kPhases[i]) == FLATOUT_OK);
    CHECK(flatout_phase_end(kPhases[i]) == FLATOUT_OK);
    CHECK(flatout_phase_end(kPhases[i]) == FLATOUT_INVALID);
  }
  for (int wrong = -1; wrong < 20; ++wrong) {
    if ((wrong >= 1 && wrong <= 8) || wrong == FLATOUT_EVAL) continue;
    CHECK(flatout_phase_begin(wrong) == FLATOUT_INVALID);
    CHECK(flatout_phase_end(wrong) == FLATOUT_INVALID);
  }
  CHECK(flatout_phase_begin(FLATOUT_FORWARD) == FLATOUT_OK);
  CHECK(flatout_phase_begin(FLATOUT_FORWARD) == FLATOUT_OK);
  CHECK(flatout_phase_begin(FLATOUT_COMM) == FLATOUT_OK);
  CHECK(flatout_phase_end(FLATOUT_FORWARD) == FLATOUT_OK);
  CHECK(flatout_phase_end(FLATOUT_COMM) == FLATOUT_INVALID);
  CHECK(flatout_phase_end(FLATOUT_FORWARD) == FLATOUT_OK);
  CHECK(flatout_phase_end(FLATOUT_FORWARD) == FLATOUT_INVALID);
  int deep = 0;
  while (deep < 100 && flatout_phase_begin(deep % 2 ? FLATOUT_SYNC : FLATOUT_COMM) == FLATOUT_OK)
    ++deep;
  CHECK(deep == 32);
  CHECK(flatout_step_end(0) == FLATOUT_OK);
  CHECK(flatout_phase_end(FLATOUT_SYNC) == FLATOUT_INVALID);
}

static void values_and_device(void) {
  char name[66];
  memset(name, 'x', sizeof name);
  name[65] = '\0';
  CHECK(flatout_log(name, 1, 0) == FLATOUT_INVALID);
  name[64] = '\0';
  CHECK(flatout_log(name, 1, 0) == FLATOUT_OK);
  CHECK(flatout_log("", 1, 0) == FLATOUT_INVALID);
  CHECK(flatout_log(NULL, 1, 0) == FLATOUT_INVALID);
  CHECK(flatout_log("loss", (double)NAN, -1) == FLATOUT_OK);
  CHECK(flatout_log("loss", 1, -2) == FLATOUT_INVALID);
  CHECK(flatout_device("cuda:1") == FLATOUT_OK);
  CHECK(flatout_device("a\"b") == FLATOUT_INVALID);
  CHECK(flatout_device("") == FLATOUT_INVALID);
  CHECK(flatout_device(NULL) == FLATOUT_INVALID);
}

/* Under kPlan. */
static const char kPlan[] = "planned=5,long-name_2=-7,above=13,broken=x,last=3";

static void knobs_have_the_plans_value(void) {
  char name[66];
  for (int i = 0; i < 3; ++i) {
    CHECK(flatout_knob_int("planned", 2, 0, 12) == 5);
    CHECK(flatout_knob_int("long-name_2", 2, -10, 12) == -7);
    CHECK(flatout_knob_int("last", 2, 0, 12) == 3);
    CHECK(flatout_knob_int("above", 2, 0, 12) == 2);
    CHECK(flatout_knob_int("broken", 2, 0, 12) == 2);
    CHECK(flatout_knob_int("plan", 2, 0, 12) == 2);
    CHECK(flatout_knob_int("automatic", -1, 0, 12) == -1);
    CHECK(flatout_knob_int("wide", INT64_MIN, INT64_MIN, INT64_MAX) == INT64_MIN);
  }
  CHECK(flatout_knob_int("planned", 2, 6, 4) == 2);
  CHECK(flatout_knob_int(NULL, 2, 0, 12) == 2);
  CHECK(flatout_knob_int("", 2, 0, 12) == 2);
  CHECK(flatout_knob_int("a\"b", 2, 0, 12) == 2);
  memset(name, 'x', sizeof name);
  name[65] = '\0';
  CHECK(flatout_knob_int(name, 2, 0, 12) == 2);
  for (int i = 0; i < 200; ++i) { /* more names than are spoken of */
    snprintf(name, sizeof name, "n%d", i);
    CHECK(flatout_knob_int(name, i, 0, 1000) == i);
  }
}

static void* many_spans(void* unused) {
  (void)unused;
  for (int i = 0; i < 500; ++i) {
    CHECK(flatout_phase_begin(FLATOUT_DATA_WAIT) == FLATOUT_OK);
    CHECK(flatout_log("from a thread", i, i) == FLATOUT_OK);
    CHECK(flatout_knob_int("planned", 2, 0, 12) == 5);
    CHECK(flatout_phase_end(FLATOUT_DATA_WAIT) == FLATOUT_OK);
  }
  return NULL;
}

static void threads_write_at_once(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) CHECK(pthread_create(&threads[i], NULL, many_spans, NULL) == 0);
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
}

static int rings(const char* folder) {
  int count = 0;
  DIR* dir = opendir(folder);
  for (struct dirent* entry; dir != NULL && (entry = readdir(dir)) != NULL;)
    count += entry->d_name[0] != '.';
  if (dir != NULL) closedir(dir);
  return count;
}

static void a_child_records_on_its_own(const char* folder) {
  const int before = rings(folder);
  CHECK(flatout_phase_begin(FLATOUT_FORWARD) == FLATOUT_OK);
  const pid_t child = fork();
  if (child == 0) {
    CHECK(flatout_phase_end(FLATOUT_FORWARD) == FLATOUT_INVALID);
    CHECK(flatout_step_end(1) == FLATOUT_OK);
    threads_write_at_once();
    _exit(failures);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(flatout_phase_end(FLATOUT_FORWARD) == FLATOUT_OK);
  CHECK(rings(folder) == before + 1);
}

static void remove_folder(const char* folder) {
  char path[512];
  DIR* dir = opendir(folder);
  for (struct dirent* entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    unlink(path);
  }
  if (dir != NULL) closedir(dir);
  rmdir(folder);
}

static const char kNotText[] = "\xff\xc0\x80 \xed\xa0\x80 \"\\\n\x7f";

static void tracked_names_are_checked(int track) {
  char name[514];
  memset(name, 'x', sizeof name);
  name[513] = '\0';
  CHECK(flatout_track_log(track, name, 1, 0) == FLATOUT_INVALID);
  CHECK(flatout_track_config_number(track, name, 1) == FLATOUT_INVALID);
  name[512] = '\0';
  CHECK(flatout_track_log(track, name, 1, 0) == FLATOUT_OK);
  CHECK(flatout_track_log(track, "", 1, 0) == FLATOUT_INVALID);
  CHECK(flatout_track_log(track, NULL, 1, 0) == FLATOUT_INVALID);
  CHECK(flatout_track_log(track, "loss", 1, -2) == FLATOUT_INVALID);
  CHECK(flatout_track_log(track, "loss", (double)NAN, -1) == FLATOUT_OK);
  CHECK(flatout_track_log(track, kNotText, 1, 0) == FLATOUT_OK);
  CHECK(flatout_track_log_text(track, NULL, "x", 0) == FLATOUT_INVALID);
  CHECK(flatout_track_log_text(track, "said", NULL, 0) == FLATOUT_INVALID);
  CHECK(flatout_track_log_text(track, kNotText, kNotText, -1) == FLATOUT_OK);
  CHECK(flatout_track_config_number(track, "nan", (double)NAN) == FLATOUT_OK);
  CHECK(flatout_track_config_text(track, "a", NULL) == FLATOUT_INVALID);
  CHECK(flatout_track_summary_text(track, NULL, "x") == FLATOUT_INVALID);
  const char* const wrong[] = {
      "", "[]", "1", "{", "{\"a\":1}x", "{\"a\":01}", "{\"a\":1e999}", "{'a':1}", NULL};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(flatout_track_config_json(track, wrong[i]) == FLATOUT_INVALID);
    CHECK(flatout_track_summary_json(track, wrong[i]) == FLATOUT_INVALID);
  }
  CHECK(flatout_track_alert(track, "t", NULL, 3) == FLATOUT_INVALID);
  CHECK(flatout_track_alert(track, "t", NULL, -1) == FLATOUT_INVALID);
  CHECK(flatout_track_alert(track, NULL, NULL, 0) == FLATOUT_INVALID);
  CHECK(flatout_track_alert(track, kNotText, kNotText, FLATOUT_ALERT_ERROR) == FLATOUT_OK);
}

static void tracked_files_are_checked(int track) {
  CHECK(flatout_track_file(track, NULL, NULL) == FLATOUT_INVALID);
  CHECK(flatout_track_file(track, "/does/not/exist", NULL) == FLATOUT_INVALID);
  CHECK(flatout_track_file(track, "/dev/zero", NULL) == FLATOUT_INVALID);
  CHECK(flatout_track_file(track, "/tmp", NULL) == FLATOUT_INVALID);
  CHECK(flatout_track_artifact(track, "/proc/self/exe", NULL, NULL) == FLATOUT_INVALID);
  CHECK(flatout_track_file(track, "/proc/self/exe", "me") == FLATOUT_OK);
  CHECK(flatout_track_artifact(track, "/proc/self/exe", "me", NULL) == FLATOUT_OK);
}

/* A limit on the size of files is a full disk; its signal must not end the program. */
static void a_full_disk_is_lost(int track) {
  static char text[200000];
  struct rlimit before, least;
  memset(text, 'y', sizeof text - 1);
  CHECK(flatout_track_config_text(track, "long", text) == FLATOUT_OK); /* in a file */
  getrlimit(RLIMIT_FSIZE, &before);
  least = before;
  least.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &least);
  text[0] = 'z';
  CHECK(flatout_track_config_text(track, "long", text) == FLATOUT_LOST);
  CHECK(flatout_track_file(track, "/proc/self/exe", NULL) == FLATOUT_LOST);
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(flatout_track_log(track, "loss", 1, 1) == FLATOUT_OK);
}

static void runs_are_tracked(const char* folder) {
  char path[512];
  struct flatout_track_options about = {0};
  about.project = kNotText;
  about.id = "a/b c";
  about.tags = " one , ,two,";
  const int track = flatout_track_open(&about);
  CHECK(track > 0);
  errno = 77;
  tracked_names_are_checked(track);
  tracked_files_are_checked(track);
  CHECK(errno == 77);
  a_full_disk_is_lost(track);
  const pid_t child = fork();
  if (child == 0) {
    CHECK(flatout_track_log(track, "loss", 2, 2) == FLATOUT_OK);
    CHECK(flatout_track_finish(track, 3) == FLATOUT_OK);
    _exit(failures);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(flatout_track_finish(track, 0) == FLATOUT_OK);
  CHECK(no_call_tracks(track, FLATOUT_INVALID));
  CHECK(no_call_tracks(-1, FLATOUT_INVALID));
  CHECK(no_call_tracks(1000000, FLATOUT_INVALID));
  CHECK(no_call_tracks(0, FLATOUT_OFF));
  for (int i = 1; i < 64; ++i) CHECK(flatout_track_open(NULL) > 0);
  CHECK(flatout_track_open(NULL) == 0);
  snprintf(path, sizeof path, "%s/files", folder);
  CHECK(rings(path) == 2); /* the program, and a text */
  remove_folder(path);
}

static void observed(const char* folder) {
  CHECK(rings(folder) == 0);
  errno = 77;
  CHECK(flatout_active() == 1);
  CHECK(rings(folder) == 1);
  phases_nest_and_close();
  values_and_device();
  knobs_have_the_plans_value();
  CHECK(errno == 77);
  threads_write_at_once();
  CHECK(rings(folder) == 1);
  a_child_records_on_its_own(folder);
  runs_are_tracked(folder);
}

int main(int argc, char** argv) {
  CHECK(flatout_abi_version() == FLATOUT_ABI_VERSION);
  if (argc > 1) {
    observed(argv[1]);
    return failures != 0;
  }
  if (getenv("FLATOUT_RING_DIR") == NULL) everything_is_off();
  char folder[] = "/tmp/flatout_calls_XXXXXX";
  if (mkdtemp(folder) == NULL) return 2;
  setenv("FLATOUT_RING_DIR", folder, 1);
  setenv("FLATOUT_KNOBS", kPlan, 1);
  char files[512];
  snprintf(files, sizeof files, "%s/files", folder);
  setenv("FLATOUT_TRACK_FILES", files, 1);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", argv[0], folder, (char*)NULL);
    _exit(127);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  remove_folder(folder);
  if (failures == 0) puts("ok");
  return failures != 0;
}
