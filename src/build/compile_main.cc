// `culprit-compile`: a job (bitcode and a plan) becomes objects, the program model and a report. The only executable of
// Culprit that links LLVM.
//
//   culprit-compile JOB.json [--progress-fd N]                 as `culprit build` runs it
//   culprit-compile --bitcode a.bc b.bc [--plan P] -o DIR      for trying passes

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "build/codegen.h"
#include "build/job.h"
#include "build/merge.h"
#include "build/parallel_tasks.h"
#include "instrument/loop_order_variables.h"
#include "instrument/optimise.h"
#include "instrument/pipeline.h"
#include "instrument/settle_points.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

/// Where lines of progress go: one a step, so that the last line names the step that crashed.
class ProgressPipe {
 public:
  explicit ProgressPipe(int fd) : fd_(fd) {}
  void operator()(const std::string& line) const {
    if (fd_ < 0) return;
    const std::string text = line + "\n";
    // A reader that went away is no reason to stop.
    [[maybe_unused]] const ssize_t written = ::write(fd_, text.data(), text.size());
  }

 private:
  int fd_;
};

class Clock {
 public:
  explicit Clock(std::vector<StepTime>& steps) : steps_(steps) {}
  void end_of(const std::string& step) {
    const auto now = std::chrono::steady_clock::now();
    steps_.push_back({step, std::chrono::duration<double>(now - began_).count()});
    began_ = now;
  }

 private:
  std::vector<StepTime>& steps_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// The files that hold the units' bitcode, mapped until the end.
class BitcodeFiles {
 public:
  llvm::StringRef operator()(const CompileUnit& unit) {
    auto file = files_.find(unit.file);
    if (file == files_.end()) file = files_.emplace(unit.file, MappedFile(unit.file)).first;
    const auto bytes = file->second.bytes();
    if (unit.offset > bytes.size() || unit.bytes > bytes.size() - unit.offset) {
      throw CorruptData(unit.file, unit.offset, "the bitcode of " + unit.name + " lies outside of the file");
    }
    return {reinterpret_cast<const char*>(bytes.data()) + unit.offset, unit.bytes};
  }

 private:
  std::map<std::string, MappedFile> files_;
};

/// Bytes of executable sections.
uint64_t code_bytes(const std::string& object) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file) throw UserError(fmt::format("{}: {}", object, llvm::toString(file.takeError())), "build again");
  uint64_t bytes = 0;
  for (const llvm::object::SectionRef& section : file->getBinary()->sections()) {
    if (section.isText()) bytes += section.getSize();
  }
  return bytes;
}

using Optimise = std::function<void(llvm::Module&, llvm::TargetMachine&)>;

/// The work of the compile step, whose parts become objects side by side.
class Compilation {
 public:
  Compilation(const CompileJob& job, const ProgressPipe& progress) : job_(job), progress_(progress) {}

  CompileReport run() {
    report_.units = job_.units.size();
    // The units become one module; what cannot join it stays native.
    merge();
    if (job_.only_loops) {
      list_loops();
      return std::move(report_);
    }
    // The plan's passes make it two halves.
    instrument();
    // Every part is optimised and written side by side.
    generate_code();
    return std::move(report_);
  }

 private:
  void merge() {
    program_ =
        merge_units(job_, context_, std::ref(bitcode_), [&](const std::string& unit) { progress_("merge " + unit); });
    for (const UnmergedUnit& unit : program_.unmerged) {
      report_.native_units.push_back({job_.units[unit.unit].name, unit.reason});
    }
    clock_.end_of("merge");
  }

  void list_loops() {
    if (!program_.module) return;
    progress_("find loops");
    for (LoopOrder& each : find_loop_order_variables(*program_.module)) {
      report_.loops.push_back(
          {std::move(each.function), std::move(each.variable), std::move(each.file), each.first_line, each.last_line});
    }
    clock_.end_of("find loops");
  }

  void instrument() {
    if (!program_.module) return;
    progress_("instrument");
    report_.model = fs::path(job_.output_directory) / "program.model";
    instrumented_ = instrument_program(program_.module, job_.plan, report_.model);
    for (const FunctionReason& each : instrumented_.native_functions) {
      report_.native_functions.push_back({each.function, each.reason});
    }
    for (const FunctionReason& each : instrumented_.single_bodies) {
      report_.single_body_functions.push_back({each.function, each.reason});
    }
    clock_.end_of("instrument");
  }

  void generate_code() {
    if (program_.module && !job_.only_observed) {
      add_parts("fast bodies", *program_.module, std::move(instrumented_.fast_parts), Neighbours::kJoined,
                PartCode::kOptimised);
    }
    if (instrumented_.observed_half) {
      add_parts("observed bodies", *instrumented_.observed_half, std::move(instrumented_.observed_parts),
                Neighbours::kApart, job_.plan.quick_code ? PartCode::kQuick : PartCode::kOptimised);
    }
    clock_.end_of("divide");
    if (!job_.only_observed) add_native_units();
    for (StepTime& step : run_tasks(parts_, std::thread::hardware_concurrency(), progress_)) {
      report_.steps.push_back(std::move(step));
    }
    for (const std::string& object : report_.objects) report_.code_bytes += code_bytes(object);
  }

  void add_native_units() {
    for (const UnmergedUnit& unit : program_.unmerged) {
      const std::string& name = job_.units[unit.unit].name;
      if (llvm::Error error = unit.module->materializeAll()) {
        throw UserError(fmt::format("{}: {}", name, llvm::toString(std::move(error))),
                        "compile the program again with this Culprit's culprit-cc");
      }
      add_part(name, [this, &module = *unit.module](const BeginStep& begin, const std::string& object) {
        compile(module, Generation::kOptimising, optimise_natively, begin, object);
      });
    }
  }

  void add_parts(const std::string& name, const llvm::Module& half, Division division, Neighbours neighbours,
                 PartCode code) {
    const DividedModule& divided = divided_.emplace_back(half, std::move(division));
    for (unsigned each = 0; each != divided.parts(); ++each) {
      // Large functions take longest and begin.
      const unsigned part = (each + divided.parts() - divided.large_parts()) % divided.parts();
      const std::string which =
          divided.parts() == 1 ? name : fmt::format("{}, part {} of {}", name, each + 1, divided.parts());
      add_part(which, [this, &divided, part, code, neighbours](const BeginStep& begin, const std::string& object) {
        begin("read");
        // The process ends: freeing them piece by piece would only take time.
        auto& context = *new llvm::LLVMContext;
        llvm::Module& module = *divided.read_part(part, context).release();
        const bool quick = code == PartCode::kQuick && !divided.is_large(part);
        const auto optimise = [&](llvm::Module& part_of_half, llvm::TargetMachine& machine) {
          quick ? simplify_instrumented(part_of_half, machine)
                : optimise_instrumented(part_of_half, machine, neighbours);
          settle_points(part_of_half, job_.plan.points.kind);
        };
        compile(module, quick ? Generation::kQuick : Generation::kOptimising, optimise, begin, object);
      });
    }
  }

  /// Adds the work that makes one object, done in a process of its own.
  void add_part(const std::string& name, const std::function<void(const BeginStep&, const std::string&)>& make) {
    const std::string_view prefix = job_.only_observed ? kObservedObjectPrefix : "";
    report_.objects.push_back(fs::path(job_.output_directory) / fmt::format("{}{}.o", prefix, report_.objects.size()));
    parts_.push_back({name, [make, object = report_.objects.back()](const BeginStep& begin) {
                        // A thread has a heap of its own in the C library: next to nothing of the parent's is touched.
                        std::async(std::launch::async, make, begin, object).get();
                      }});
  }

  void compile(llvm::Module& module, Generation generation, const Optimise& optimise, const BeginStep& begin,
               const std::string& object) {
    const auto machine = target_machine(module, job_.position_independent, generation);
    begin("optimise");
    optimise(module, *machine);
    begin("generate code for");
    emit_object(module, *machine, object);
  }

  const CompileJob& job_;
  const ProgressPipe& progress_;
  CompileReport report_;
  Clock clock_{report_.steps};
  BitcodeFiles bitcode_;
  llvm::LLVMContext context_;
  MergedProgram program_;
  PipelineReport instrumented_;
  std::deque<DividedModule> divided_;
  std::vector<ParallelTask> parts_;
};

[[noreturn]] void end_on_fatal_error(void*, const char* reason, bool) {
  fmt::print(stderr, "LLVM: {}\n", reason);
  std::fflush(stderr);
  ::_exit(70);  // EX_SOFTWARE; the parent names the step
}

ExitCode run(int argc, char** argv) {
  CLI::App app{"Compiles captured bitcode by a plan; run by `culprit build`.", "culprit-compile"};
  std::string job_file;
  std::vector<std::string> bitcode;
  std::string plan = "fast";
  std::string output;
  int progress_fd = -1;
  app.add_option("job", job_file, "JSON file that says what to compile");
  app.add_option("--progress-fd", progress_fd, "file descriptor for one line a step");
  app.add_option("--bitcode", bitcode, "bitcode files to compile instead of a job");
  app.add_option("--plan", plan, "fast, registers, homes or a TOML file");
  app.add_option("-o", output, "folder for the objects (with --bitcode)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ExitCode::kAnswered : ExitCode::kBadUsage;
  }

  CompileJob job;
  if (!job_file.empty()) {
    job = job_from_json(job_file, read_file(job_file));
  } else if (!bitcode.empty() && !output.empty()) {
    fs::create_directories(output);
    job = {.plan = load_plan(plan), .output_directory = output, .components = {{.name = "program"}}};
    for (const std::string& file : bitcode) {
      job.units.push_back({.name = file, .file = file, .bytes = fs::file_size(file)});
    }
  } else {
    throw UserError("nothing to compile", "give JOB.json, or --bitcode FILES -o DIR");
  }

  const ProgressPipe progress(progress_fd);
  const auto compilation = std::make_unique<Compilation>(job, progress);
  const CompileReport report = compilation->run();
  write_file_atomically(fs::path(job.output_directory) / "report.json", to_json(report));
  return ExitCode::kAnswered;
}

}  // namespace
}  // namespace culprit

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_IGN);
  llvm::install_fatal_error_handler(culprit::end_on_fatal_error);
  int status = 0;
  try {
    status = static_cast<int>(culprit::run(argc, argv));
  } catch (const culprit::UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    if (!error.remedy().empty()) fmt::print(stderr, "remedy: {}\n", error.remedy());
    status = static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    status = static_cast<int>(culprit::ExitCode::kBadUsage);
  }
  // The modules are large and the process ends: freeing them piece by piece would only take time.
  std::fflush(nullptr);
  ::_exit(status);
}
