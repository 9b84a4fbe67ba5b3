#include "build/builder.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <cstring>

#include "base/child_process.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "build/absorb.h"
#include "build/cache.h"
#include "build/content_hash.h"
#include "build/link.h"
#include "build/link_layout.h"
#include "build/link_symbols.h"
#include "build/removed_symbols.h"
#include "capture/elf.h"
#include "format/capture_format.h"

namespace culprit {
namespace fs = std::filesystem;

namespace {

constexpr const char* kProgramFile = "program";
constexpr const char* kModelFile = "program.model";
constexpr const char* kReportFile = "report.json";
constexpr const char* kRuntimeArchive = "libculprit-runtime.a";
constexpr const char* kLibraryArchive = "libculprit-library.a";  // of functions that take the place of the C library's
// By its name an observed object: where it lies moves nothing of the program (link_layout.cc).
constexpr const char* kSessionOverrides = "culprit-observed-session-overrides.o";
constexpr const char* kTraceOverrides = "culprit-observed-trace-overrides.o";
constexpr const char* kPointOverrides = "culprit-point-overrides.o";

/// What is read of the program before anything is built.
struct Inputs {
  Capture program;
  AbsorbedLibraries absorbed;

  std::vector<const Capture*> libraries() const {
    std::vector<const Capture*> all;
    for (const Capture& library : absorbed.libraries) all.push_back(&library);
    return all;
  }
};

/// The plan whose objects and layout `plan` builds upon: its fast bodies.
Plan base_of(const Plan& plan) {
  return {.name = "fast", .ticks = plan.ticks, .points = plan.points};
}

/// The plan's executable is that of base_of(plan) and more.
bool builds_upon_base(const Plan& plan) {
  return plan.observed != ObservedBodies::kNone && plan.fast_bodies;
}

/// What the program can see lies at the same addresses as in the executables of other plans.
bool has_shared_layout(const Plan& plan) {
  return plan.fast_bodies;
}

void add_overrides(const char* name, std::vector<std::string>& words) {
  const fs::path object = parts_directory() / name;
  if (fs::exists(object)) words.insert(words.begin(), object);
}

void add_overrides_of(const Plan& plan, std::vector<std::string>& words) {
  if (plan.hooks == Hooks::kSession) add_overrides(kSessionOverrides, words);
  if (plan.hooks == Hooks::kTrace || plan.hooks == Hooks::kValues) add_overrides(kTraceOverrides, words);
}

/// Culprit's runtime as words for the link.
std::vector<std::string> runtime_words(const Plan& plan) {
  const fs::path archive = parts_directory() / kRuntimeArchive;
  if (!fs::exists(archive)) return {};
  const std::string library = parts_directory() / kLibraryArchive;
  if (has_shared_layout(plan)) {
    // All of it in every plan: its variables are among the program's. Plans with ids add what looks at thread creation.
    std::vector<std::string> words{"-Xlinker", "--whole-archive", archive, "-Xlinker", "--no-whole-archive", library};
    if (plan.points.kind != format::PointKind::kNone) add_overrides(kPointOverrides, words);
    add_overrides_of(plan, words);
    return words;
  }
  std::vector<std::string> words{archive, library};
  add_overrides_of(plan, words);
  return words;
}

void add_identity(ContentHash& hash, const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw UserError(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)), "put it back",
                    ExitCode::kEnvironmentLacks);
  }
  hash.add(fmt::format("{} {} {}.{}", path.string(), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
}

void add_sections(ContentHash& hash, const Capture& capture) {
  const ElfFile elf(capture.file->bytes(), capture.path);
  for (const ElfSection& section : elf.sections()) {
    if (section.name == format::kUnitSection || section.name == format::kLinkSection) hash.add(elf.content(section));
  }
  hash.add(origin_of(capture).string());
}

/// Equal for equal results: the captured sections, the plan, Culprit's own parts, the compiler, native inputs.
std::string key_of(const Inputs& inputs, const Plan& plan) {
  ContentHash hash;
  hash.add(canonical_text(plan));
  hash.add(fmt::format("loading {}", static_cast<int>(loading_of(inputs.program))));
  if (has_shared_layout(plan)) {
    hash.add(layout_script(loading_of(inputs.program)));
    for (const std::string& word : layout_options("script")) hash.add(word);
  }
  add_sections(hash, inputs.program);
  for (const Capture& library : inputs.absorbed.libraries) add_sections(hash, library);
  hash.add(hash_of_file(parts_directory() / "culprit-compile"));
  for (const std::string& word : runtime_words(plan)) {
    if (fs::exists(word)) hash.add(hash_of_file(word));
  }
  for (const char* tool : {"clang-19", "ld.lld-19"}) {
    const auto path = find_in_path(tool);
    if (!path) {
      throw UserError(fmt::format("{} is not installed", tool),
                      "tools/install-deps, or apt-get install clang-19 lld-19", ExitCode::kEnvironmentLacks);
    }
    add_identity(hash, fs::canonical(*path));
  }
  const LinkJob link{.program = &inputs.program,
                     .absorbed = inputs.libraries(),
                     .objects = {},
                     .runtime = {},
                     .observed = {},
                     .work = {},
                     .output = {}};
  for (const std::string& path : native_inputs(link)) add_identity(hash, path);
  return hash.digest();
}

void add_units(CompileJob& job, const Capture& capture, uint32_t component) {
  const std::byte* start = capture.file->bytes().data();
  for (const Unit& unit : capture.units) {
    job.units.push_back({.name = unit.source,
                         .file = capture.path,
                         .offset = static_cast<uint64_t>(unit.bitcode.data() - start),
                         .bytes = unit.bitcode.size(),
                         .component = component});
  }
}

CompileJob job_for(const Inputs& inputs, const Plan& plan, const fs::path& work) {
  CompileJob job{.plan = plan, .output_directory = work};
  job.only_observed = builds_upon_base(plan);
  job.components.push_back({.name = inputs.program.path.filename()});
  for (const Capture& library : inputs.absorbed.libraries) {
    job.components.push_back({.name = library.path.filename(),
                              .exports = exported_symbols(library),
                              .symbolic = links_symbolically(library)});
  }
  // Libraries first: their constructors run before the program's.
  for (const size_t library : inputs.absorbed.constructor_order) {
    add_units(job, inputs.absorbed.libraries[library], static_cast<uint32_t>(library + 1));
  }
  add_units(job, inputs.program, 0);
  const LinkSymbols symbols = link_symbols(inputs.program);
  job.wraps = symbols.wraps;
  job.definitions = symbols.definitions;
  job.allow_multiple_definitions = symbols.allow_multiple_definitions;
  const Loading loading = loading_of(inputs.program);
  job.position_independent = loading == Loading::kDynamicPie || loading == Loading::kStaticPie;
  return job;
}

std::string tail_of(const fs::path& messages) {
  std::string text = read_file(messages);
  constexpr size_t kMost = 4000;
  if (text.size() > kMost) text = "…" + text.substr(text.size() - kMost);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// Runs culprit-compile. Its last line of progress names the step that failed.
CompileReport run_compile(const CompileJob& job, Progress& progress) {
  const fs::path work = job.output_directory;
  write_file_atomically(work / "job.json", to_json(job));
  std::string step = "start";
  const WatchedCommand command{.words = {parts_directory() / "culprit-compile", work / "job.json", "--progress-fd",
                                         std::to_string(kProgressDescriptor)},
                               .messages = work / "compile.log",
                               .on_line = [&](std::string_view line) { progress.step(step = std::string(line)); },
                               .on_idle = [&] { progress.refresh(); }};
  const ProcessEnd end = run_watched(command);
  if (!end.succeeded()) {
    const std::string how = end.signal ? fmt::format("crashed ({})", ::strsignal(end.signal)) : "failed";
    throw UserError(fmt::format("the compile step {} at `{}`:\n{}", how, step, tail_of(work / "compile.log")),
                    "see the messages above; --keep DIR keeps what a report needs");
  }
  const fs::path report = work / "report.json";
  return report_from_json(report, read_file(report));
}

void run_link(const LinkJob& job, Progress& progress) {
  progress.step("link");
  const fs::path messages = job.work / "link.log";
  std::vector<std::string> words = link_command(job);
  const auto link = [&] {
    write_file_atomically(job.work / "link.command", fmt::format("{}\n", fmt::join(words, "\n")));
    return run_watched({.words = words, .messages = messages, .on_line = {}, .on_idle = [&] { progress.refresh(); }});
  };
  if (link().succeeded()) return;
  const auto removed = define_removed_symbols(*job.program, read_file(messages), job.work);
  if (!removed) fail_to_link(read_file(messages));
  words.push_back(*removed);
  if (!link().succeeded()) fail_to_link(read_file(messages));
}

std::string object_name(size_t index) {
  return fmt::format("object-{:04}.o", index);
}

std::vector<std::string> objects_in(const fs::path& entry) {
  std::vector<std::string> objects;
  for (size_t index = 0; fs::exists(entry / object_name(index)); ++index) {
    objects.push_back(entry / object_name(index));
  }
  return objects;
}

/// Compiles and links in `work`, leaving the entry's files in `staged`. `base`: the entry of base_of(plan), or empty.
void build_into(const fs::path& staged, const fs::path& work, const Inputs& inputs, const Plan& plan,
                const fs::path& base, Progress& progress) {
  CompileReport report = run_compile(job_for(inputs, plan, work), progress);
  const auto began = std::chrono::steady_clock::now();
  const bool upon_base = builds_upon_base(plan);
  run_link({.program = &inputs.program,
            .absorbed = inputs.libraries(),
            .objects = upon_base ? objects_in(base) : report.objects,
            .runtime = runtime_words(plan),
            .observed = upon_base ? report.objects : std::vector<std::string>(),
            .shared_layout = has_shared_layout(plan),
            .work = work,
            .output = staged / kProgramFile},
           progress);
  report.steps.push_back({"link", std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count()});
  if (has_shared_layout(plan) && !upon_base) {
    // Executables of other plans are made from the same objects.
    for (size_t index = 0; index < report.objects.size(); ++index) {
      fs::copy_file(report.objects[index], staged / object_name(index));
    }
  }
  if (!report.model.empty()) {
    fs::copy_file(report.model, staged / kModelFile);
    report.model = kModelFile;
  }
  report.objects.clear();
  write_file_atomically(staged / kReportFile, to_json(report));
}

BuildResult result_of(const fs::path& entry, const std::string& key, bool from_cache) {
  BuildResult result{
      .executable = entry / kProgramFile, .model = {}, .report = {}, .key = key, .from_cache = from_cache};
  result.report = report_from_json(entry / kReportFile, read_file(entry / kReportFile));
  if (!result.report.model.empty()) result.model = entry / result.report.model;
  return result;
}

/// What the program carries, and the shared libraries of the same build.
Inputs read_inputs(const fs::path& program) {
  Inputs inputs{.program = read_capture(program), .absorbed = {}};
  inputs.absorbed = absorbed_libraries(inputs.program);
  return inputs;
}

BuildResult find_or_build(const BuildRequest& request, Progress& progress) {
  const Inputs inputs = read_inputs(request.program);

  // Reuse what was built before, by anyone, also while we waited for it.
  const Cache cache = Cache::of_user();
  const std::string key = key_of(inputs, request.plan);
  const bool must_build = !request.keep.empty();
  if (const auto entry = cache.find(key); entry && !must_build) return result_of(*entry, key, true);
  fs::path base;
  if (builds_upon_base(request.plan)) {
    base = find_or_build({.program = request.program, .plan = base_of(request.plan), .keep = {}}, progress)
               .executable.parent_path();
  }
  const FileLock lock = cache.lock(key, [&] { progress.step("wait for another build of the same program"); });
  if (const auto entry = cache.find(key); entry && !must_build) return result_of(*entry, key, true);

  // Compile, link, publish.
  const TemporaryDirectory staged = cache.stage(key);
  if (must_build) {
    fs::create_directories(request.keep);
    build_into(staged.path(), fs::absolute(request.keep), inputs, request.plan, base, progress);
  } else {
    const TemporaryDirectory work = cache.stage(key + ".work");
    build_into(staged.path(), work.path(), inputs, request.plan, base, progress);
  }
  return result_of(cache.publish(key, staged), key, false);
}

}  // namespace

BuildResult build_program(const BuildRequest& request, Progress& progress) {
  const auto began = std::chrono::steady_clock::now();
  const InterruptScope interrupts;
  BuildResult result = find_or_build(request, progress);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

std::vector<SourceLoop> find_source_loops(const fs::path& program, Progress& progress) {
  const InterruptScope interrupts;
  const TemporaryDirectory work(temporary_place("loops"));
  CompileJob job = job_for(read_inputs(program), load_plan("fast"), work.path());
  job.only_loops = true;
  return run_compile(job, progress).loops;
}

}  // namespace culprit
