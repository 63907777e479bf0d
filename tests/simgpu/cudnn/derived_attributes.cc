#include "core/config.h"
#include "cudnn/descriptor.h"
#include "cudnn/engine.h"
#include "cudnn/plan.h"

namespace simgpu::cudnn {
namespace {

template <typename T>
Value value_of(int type, const std::vector<T>& elements) {
  Value value{.type = type,
              .count = static_cast<std::int64_t>(elements.size()),
              .data = {},
              .descriptors = {}};
  value.data.resize(elements.size() * sizeof(T));
  if (!elements.empty()) {
    std::memcpy(value.data.data(), elements.data(), value.data.size());
  }
  return value;
}

Value number_value(std::int64_t number) { return value_of(kTypeInt64, std::vector{number}); }

Value none_of(int type) { return {.type = type, .count = 0, .data = {}, .descriptors = {}}; }

Value descriptor_value(DescriptorPointer one) {
  return {.type = kTypeDescriptor, .count = 1, .data = {}, .descriptors = {std::move(one)}};
}

DescriptorPointer made(int type) {
  auto descriptor = std::make_shared<Descriptor>();
  descriptor->type = type;
  descriptor->finalized = true;
  return descriptor;
}

std::optional<Engine> engine_of(const Descriptor& engine) {
  const DescriptorPointer graph = engine.child(kEngineGraph);
  return graph == nullptr || graph->work == nullptr
             ? std::nullopt
             : find_engine(*graph->work, spec_of(current_device()),
                           engine.number<std::int64_t>(kEngineIndex, -1));
}

// Configurations as the heuristics would give them; all knobs stay as they are.
Value results(const Descriptor& heuristics) {
  const DescriptorPointer graph = heuristics.child(kHeuristicsGraph);
  Value value = none_of(kTypeDescriptor);
  for (const Engine& engine : ranked_engines(*graph->work, spec_of(current_device()),
                                             heuristics.number(kHeuristicsMode, 0))) {
    const DescriptorPointer which = made(kEngine);
    which->values[kEngineGraph] = descriptor_value(graph);
    which->values[kEngineIndex] = number_value(engine.index);
    const DescriptorPointer config = made(kEngineConfig);
    config->values[kConfigEngine] = descriptor_value(which);
    value.descriptors.push_back(config);
  }
  value.count = static_cast<std::int64_t>(value.descriptors.size());
  return value;
}

bool read_engine(const Descriptor& engine, int attribute, Value& value) {
  switch (attribute) {
    case kEngineNumericalNote: {
      const auto found = engine_of(engine);
      value = found ? value_of(kTypeNumericalNote, found->numerical_notes())
                    : none_of(kTypeNumericalNote);
      return true;
    }
    case kEngineBehaviorNote:
      value = none_of(kTypeBehaviorNote);
      return true;
    case kEngineKnobInfo:
    case kEngineLayoutInfo:
      value = none_of(kTypeDescriptor);
      return true;
    default:
      return false;
  }
}

bool read_config(const Descriptor& config, int attribute, Value& value) {
  switch (attribute) {
    case kConfigWorkspaceSize: {
      const DescriptorPointer engine = config.child(kConfigEngine);
      const auto found = engine_of(*engine);
      const DescriptorPointer graph = engine->child(kEngineGraph);
      value = number_value(
          found ? plan_of(*graph->work, *found, spec_of(current_device())).workspace_bytes : 0);
      return true;
    }
    case kConfigSharedMemory:
      value = value_of(kTypeInt32, std::vector<std::int32_t>{48 << 10});
      return true;
    case kConfigKnobChoices:
    case kConfigIntermediateInfo:
      if (config.find(attribute) != nullptr) {
        return false;
      }
      value = none_of(kTypeDescriptor);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool read_derived(const Descriptor& descriptor, int attribute, Value& value) {
  switch (descriptor.type) {
    case kEngine:
      return read_engine(descriptor, attribute, value);
    case kEngineConfig:
      return read_config(descriptor, attribute, value);
    case kEngineHeuristics:
      if (attribute != kHeuristicsResults) {
        return false;
      }
      value = results(descriptor);
      return true;
    case kOperationGraph:
      if (attribute != kGraphEngineCount) {
        return false;
      }
      value = number_value(engine_count(*descriptor.work));
      return true;
    case kExecutionPlan:
      if (attribute != kPlanWorkspaceSize) {
        return false;
      }
      value = number_value(descriptor.plan->workspace_bytes);
      return true;
    default:
      return false;
  }
}

}  // namespace simgpu::cudnn
