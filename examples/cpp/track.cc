// Tracks a training in C++: a run that has failed where an exception leaves it.
//
//     c++ -O2 track.cc -o track $(pkg-config --cflags --libs flatout)
//     flatout run -- ./track
//
// Finds a square root by Newton's method, of 2 or of the argument.
#include <cstdlib>
#include <flatout/flatout.hpp>
#include <iostream>
#include <stdexcept>
#include <string>

static double root_of(double square, flatout::Track& track) {
  if (square < 0) throw std::domain_error("no root of " + std::to_string(square));
  double root = 1;
  for (int step = 0; step < 20; ++step) {
    root -= (root * root - square) / (2 * root);
    track.log("error", root * root - square, step);
    flatout::step_end(1);
  }
  track.summary("root", root);
  return root;
}

int main(int argc, char** argv) {
  const double square = argc > 1 ? std::atof(argv[1]) : 2;
  try {
    flatout::TrackOptions about;
    about.project = "roots";
    about.tags = "example, c++";
    flatout::Track track(about);
    track.config("square", square);
    track.config("method", "Newton");
    std::cout << root_of(square, track) << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
