// Numbers of descriptors, attributes and notes of the graph API that have a meaning here:
// docs.nvidia.com, "cuDNN backend API", cudnn_graph library: cudnnBackendDescriptorType_t,
// cudnnBackendAttributeName_t, cudnnBackendAttributeType_t, cudnnBackendNumericalNote_t,
// cudnnBackendHeurMode_t.
#pragma once

namespace simgpu::cudnn {

enum DescriptorType : int {
  kPointwise = 0,
  kEngine = 2,
  kEngineConfig = 3,
  kEngineHeuristics = 4,
  kExecutionPlan = 5,
  kIntermediateInfo = 6,
  kKnobInfo = 8,
  kLayoutInfo = 9,
  kConvolutionForward = 10,
  kConvolutionBackwardFilter = 11,
  kConvolutionBackwardData = 12,
  kOperationPointwise = 13,
  kOperationGraph = 15,
  kVariantPack = 16,
  kTensor = 17,
  kOperationMatmul = 19,
  kOperationResampleForward = 25,
  kOperationResampleBackward = 26,
  kOperationNormForward = 29,
  kOperationNormBackward = 30,
  kAttentionForward = 41,
  kMixtureOfExperts = 42,
  kAttentionBackward = 43,
  kDiagonalBandMask = 44,
  kLastSupported = 47,
};

enum AttributeType : int {
  kTypeHandle = 0,
  kTypeDataType = 1,
  kTypeBoolean = 2,
  kTypeInt64 = 3,
  kTypeFloat = 4,
  kTypeDouble = 5,
  kTypePointer = 6,
  kTypeNumericalNote = 11,
  kTypeDescriptor = 15,
  kTypeBehaviorNote = 19,
  kTypeInt32 = 23,
  kTypeChar = 24,
  kTypeFraction = 26,
  kTypeLast = 33,
};

enum Attribute : int {
  kPointwiseMode = 0,
  kConvolutionComputeType = 100,
  kHeuristicsMode = 200,
  kHeuristicsGraph = 201,
  kHeuristicsResults = 202,
  kConfigEngine = 300,
  kConfigIntermediateInfo = 301,
  kConfigKnobChoices = 302,
  kConfigWorkspaceSize = 303,
  kConfigSharedMemory = 304,
  kPlanConfig = 401,
  kPlanWorkspaceSize = 402,
  kPlanJson = 405,
  kForwardW = 703,
  kForwardX = 704,
  kForwardY = 705,
  kBackwardDataW = 709,
  kBackwardDataDx = 710,
  kBackwardDataDy = 711,
  kBackwardFilterDw = 715,
  kBackwardFilterX = 716,
  kBackwardFilterDy = 717,
  kPointwiseDescriptor = 750,
  kPointwiseX = 751,
  kPointwiseB = 752,
  kGraphOperations = 801,
  kGraphEngineCount = 802,
  kTensorDataType = 901,
  kTensorDimensions = 902,
  kTensorStrides = 903,
  kTensorUniqueId = 906,
  kTensorIsVirtual = 907,
  kTensorIsByValue = 908,
  kTensorConstantValue = 910,
  kPackUniqueIds = 1000,
  kPackPointers = 1001,
  kPackWorkspace = 1003,
  kEngineGraph = 1300,
  kEngineIndex = 1301,
  kEngineKnobInfo = 1302,
  kEngineNumericalNote = 1303,
  kEngineLayoutInfo = 1304,
  kEngineBehaviorNote = 1305,
  kMatmulA = 1520,
  kMatmulB = 1521,
  kMatmulC = 1522,
  kAttentionForwardQ = 2800,
  kAttentionForwardK = 2801,
  kAttentionForwardV = 2802,
  kAttentionForwardSubgraph = 2811,
  kAttentionBackwardQ = 2851,
  kAttentionBackwardK = 2852,
  kAttentionBackwardV = 2853,
  kAttentionBackwardSubgraph = 2867,
};

// cudnnPointwiseMode_t: comparisons are 300 to 305.
inline constexpr int kFirstComparison = 300;
inline constexpr int kLastComparison = 305;

enum NumericalNote : int {
  kNoteTensorCore = 0,
  kNoteDownConvertInputs = 1,
  kNoteReducedPrecisionReduction = 2,
  kNoteNondeterministic = 4
};

enum HeuristicsMode : int { kModeInstant = 0, kModeB = 1, kModeFallback = 2, kModeA = 3 };

}  // namespace simgpu::cudnn
