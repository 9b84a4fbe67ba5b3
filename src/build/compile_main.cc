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
#include <map>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "build/codegen.h"
#include "build/job.h"
#include "build/merge.h"
#include "build/parallel_tasks.h"

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

/// Optimises a module and writes its object, in a process of its own.
ParallelTask task_for(const std::string& name, llvm::Module& module, const CompileJob& job, const std::string& object) {
  return {name, [&module, &job, object](const BeginStep& begin) {
            const auto machine = target_machine(module, job.position_independent);
            begin("optimise");
            optimise_natively(module, *machine);
            begin("generate code for");
            emit_object(module, *machine, object);
          }};
}

CompileReport compile(const CompileJob& job, const ProgressPipe& progress) {
  CompileReport report{.units = job.units.size()};
  Clock clock(report.steps);
  const fs::path directory = job.output_directory;

  // The units become one module; what cannot join it stays native.
  BitcodeFiles bitcode;
  llvm::LLVMContext context;
  MergedProgram program =
      merge_units(job, context, std::ref(bitcode), [&](const std::string& unit) { progress("merge " + unit); });
  for (const UnmergedUnit& unit : program.unmerged)
    report.native_units.push_back({job.units[unit.unit].name, unit.reason});
  clock.end_of("merge");

  // Every part is optimised and written side by side.
  std::vector<ParallelTask> tasks;
  const auto add_task = [&](const std::string& name, llvm::Module& module) {
    report.objects.push_back(directory / fmt::format("{}.o", report.objects.size()));
    tasks.push_back(task_for(name, module, job, report.objects.back()));
  };
  if (program.module) add_task("the program", *program.module);
  for (const UnmergedUnit& unit : program.unmerged) {
    if (llvm::Error error = unit.module->materializeAll()) {
      throw UserError(fmt::format("{}: {}", job.units[unit.unit].name, llvm::toString(std::move(error))),
                      "compile the program again with this Culprit's culprit-cc");
    }
    add_task(job.units[unit.unit].name, *unit.module);
  }
  for (StepTime& step : run_tasks(tasks, std::thread::hardware_concurrency(), progress)) {
    report.steps.push_back(std::move(step));
  }
  for (const std::string& object : report.objects) report.code_bytes += code_bytes(object);
  return report;
}

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

  const CompileReport report = compile(job, ProgressPipe(progress_fd));
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
