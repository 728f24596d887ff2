// Follows planets around the sun, each on a thread of its own.
//
// usage: orbits FILE
//
// FILE is what save_advance.py saved. Exits with 0 if all went well, with 1, having
// said why, if something failed, and with 2 if it is called wrongly.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "model.hpp"

namespace {

constexpr double TIME_STEP = 0.001;  // years
constexpr int RUNS = 100;            // of 100 steps each: ten years

// Where a planet is closest to the sun, in astronomical units, and how fast it is
// there, in astronomical units a year.
struct Planet {
  const char *name;
  double distance;
  double speed;
};

constexpr std::array<Planet, 4> PLANETS = {{
    {"Mercury", 0.307499, 12.443057},
    {"Venus", 0.718440, 7.438752},
    {"Earth", 0.983290, 6.389147},
    {"Mars", 1.381497, 5.589999},
}};

struct State {
  double x;
  double y;
  double energy;
};

State follow(Model &advance, const Planet &planet) {
  const auto position = advance.input<double>("position", {2});
  const auto velocity = advance.input<double>("velocity", {2});

  position[0] = planet.distance;
  velocity[1] = planet.speed;
  advance.input<double>("time_step", {})[0] = TIME_STEP;
  for (int i = 0; i < RUNS; i++) {
    advance.run();
    const auto new_position = advance.output<double>("position", {2});
    const auto new_velocity = advance.output<double>("velocity", {2});
    std::copy(new_position.begin(), new_position.end(), position.begin());
    std::copy(new_velocity.begin(), new_velocity.end(), velocity.begin());
  }
  return {position[0], position[1], advance.output<double>("energy", {})[0]};
}

// Threads that are waited for, also where an exception ends the block that they are in.
class Threads {
 public:
  Threads() = default;
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;
  ~Threads() {
    for (std::thread &thread : threads_) thread.join();
  }

  template <typename Function>
  void start(Function &&function) {
    threads_.emplace_back(std::forward<Function>(function));
  }

 private:
  std::vector<std::thread> threads_;
};

void follow_all(const char *path) {
  std::vector<Model> models;
  std::vector<std::future<State>> states;
  Threads threads;

  // The file is opened and compiled once. A model is used by one thread at a time, so
  // all seats are taken before the first thread starts.
  models.emplace_back(path);
  while (models.size() < PLANETS.size()) {
    models.push_back(models.front().seat());
  }
  for (std::size_t i = 0; i < PLANETS.size(); i++) {
    std::packaged_task<State()> task(
        [&models, i] { return follow(models[i], PLANETS[i]); });
    states.push_back(task.get_future());
    threads.start(std::move(task));
  }
  for (std::size_t i = 0; i < PLANETS.size(); i++) {
    const State state = states[i].get();  // throws what its thread threw
    std::printf("%-8s %16.12f %16.12f %18.12f\n", PLANETS[i].name, state.x, state.y,
                state.energy);
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: orbits FILE\n");
    return 2;
  }
  try {
    follow_all(argv[1]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "orbits: %s\n", error.what());
    return 1;
  }
  return 0;
}
