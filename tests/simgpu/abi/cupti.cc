// What the agent declares of CUPTI by itself, against NVIDIA's headers.
#include <cupti.h>

#include <cstddef>

#include "abi/same_type.h"
#include "inject/cupti/cupti_api.h"
#include "inject/cupti/layout.h"

using namespace flatout::inject::cupti;  // NOLINT: a test of all of it

PAIR(SubscriberTag, CUpti_Subscriber_st)
PAIR(ContextTag, CUctx_st)
PAIR(RecordTag, CUpti_Activity)
PAIR(std::remove_pointer_t<RequestBuffer>, std::remove_pointer_t<CUpti_BuffersCallbackRequestFunc>)
PAIR(std::remove_pointer_t<CompleteBuffer>,
     std::remove_pointer_t<CUpti_BuffersCallbackCompleteFunc>)
PAIR(std::remove_pointer_t<Timestamp>, std::remove_pointer_t<CUpti_TimestampCallbackFunc>)
PAIR(std::remove_pointer_t<Callback>, std::remove_pointer_t<CUpti_CallbackFunc>)

// What they are paired with, they are called with.
static_assert(SameCall<RequestBuffer, CUpti_BuffersCallbackRequestFunc>::value);
static_assert(SameCall<CompleteBuffer, CUpti_BuffersCallbackCompleteFunc>::value);
static_assert(SameCall<Timestamp, CUpti_TimestampCallbackFunc>::value);
static_assert(SameCall<Callback, CUpti_CallbackFunc>::value);

#define POINTER(MEMBER, SYMBOL)                                            \
  static_assert(SameCall<decltype(Api::MEMBER), decltype(&SYMBOL)>::value, \
                #SYMBOL " is called with other types than NVIDIA's header declares")

POINTER(get_version, cuptiGetVersion);
POINTER(get_timestamp, cuptiGetTimestamp);
POINTER(subscribe, cuptiSubscribe);
POINTER(unsubscribe, cuptiUnsubscribe);
POINTER(register_callbacks, cuptiActivityRegisterCallbacks);
POINTER(enable, cuptiActivityEnable);
POINTER(disable, cuptiActivityDisable);
POINTER(flush_all, cuptiActivityFlushAll);
POINTER(next_record, cuptiActivityGetNextRecord);
POINTER(dropped, cuptiActivityGetNumDroppedRecords);
POINTER(callback_name, cuptiGetCallbackName);
POINTER(use_clock, cuptiActivityRegisterTimestampCallback);
POINTER(set_thread_ids, cuptiSetThreadIdType);
POINTER(get_thread_ids, cuptiGetThreadIdType);
POINTER(enable_driver_call, cuptiActivityEnableDriverApi);
POINTER(enable_runtime_call, cuptiActivityEnableRuntimeApi);

NUMBER(kSuccess, CUPTI_SUCCESS);
NUMBER(kMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
NUMBER(kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
NUMBER(kSystemThreadIds, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
NUMBER(Domain::kDriver, CUPTI_CB_DOMAIN_DRIVER_API);
NUMBER(Domain::kRuntime, CUPTI_CB_DOMAIN_RUNTIME_API);
NUMBER(RecordKind::kMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
NUMBER(RecordKind::kMemset, CUPTI_ACTIVITY_KIND_MEMSET);
NUMBER(RecordKind::kKernel, CUPTI_ACTIVITY_KIND_KERNEL);
NUMBER(RecordKind::kDriver, CUPTI_ACTIVITY_KIND_DRIVER);
NUMBER(RecordKind::kRuntime, CUPTI_ACTIVITY_KIND_RUNTIME);
NUMBER(RecordKind::kConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
NUMBER(RecordKind::kOverhead, CUPTI_ACTIVITY_KIND_OVERHEAD);
NUMBER(RecordKind::kMemcpy2, CUPTI_ACTIVITY_KIND_MEMCPY2);

#define PLACE(PLACE, THEIRS, FIELD) \
  static_assert(PLACE == offsetof(THEIRS, FIELD), #PLACE " is not where " #THEIRS " has it")

PLACE(KernelLayout::kStart, CUpti_ActivityKernel10, start);
PLACE(KernelLayout::kEnd, CUpti_ActivityKernel10, end);
PLACE(KernelLayout::kDevice, CUpti_ActivityKernel10, deviceId);
PLACE(KernelLayout::kContext, CUpti_ActivityKernel10, contextId);
PLACE(KernelLayout::kStream, CUpti_ActivityKernel10, streamId);
PLACE(KernelLayout::kCorrelation, CUpti_ActivityKernel10, correlationId);
PLACE(KernelLayout::kName, CUpti_ActivityKernel10, name);
PLACE(KernelLayout::kGraph, CUpti_ActivityKernel10, graphId);
PLACE(KernelLayout::kGraphNode, CUpti_ActivityKernel10, graphNodeId);

PLACE(CopyLayout::kCopyKind, CUpti_ActivityMemcpy6, copyKind);
PLACE(CopyLayout::kFrom, CUpti_ActivityMemcpy6, srcKind);
PLACE(CopyLayout::kTo, CUpti_ActivityMemcpy6, dstKind);
PLACE(CopyLayout::kBytes, CUpti_ActivityMemcpy6, bytes);
PLACE(CopyLayout::kStart, CUpti_ActivityMemcpy6, start);
PLACE(CopyLayout::kEnd, CUpti_ActivityMemcpy6, end);
PLACE(CopyLayout::kDevice, CUpti_ActivityMemcpy6, deviceId);
PLACE(CopyLayout::kContext, CUpti_ActivityMemcpy6, contextId);
PLACE(CopyLayout::kStream, CUpti_ActivityMemcpy6, streamId);
PLACE(CopyLayout::kCorrelation, CUpti_ActivityMemcpy6, correlationId);
PLACE(CopyLayout::kGraph, CUpti_ActivityMemcpy6, graphId);
PLACE(CopyLayout::kGraphNode, CUpti_ActivityMemcpy6, graphNodeId);

#define SAME_AS_COPY(FIELD)                                                                 \
  static_assert(                                                                            \
      offsetof(CUpti_ActivityMemcpyPtoP4, FIELD) == offsetof(CUpti_ActivityMemcpy6, FIELD), \
      "CUpti_ActivityMemcpyPtoP4::" #FIELD " is not where CUpti_ActivityMemcpy6 has it")
SAME_AS_COPY(copyKind);
SAME_AS_COPY(srcKind);
SAME_AS_COPY(dstKind);
SAME_AS_COPY(bytes);
SAME_AS_COPY(start);
SAME_AS_COPY(end);
SAME_AS_COPY(deviceId);
SAME_AS_COPY(contextId);
SAME_AS_COPY(streamId);
PLACE(PeerCopyLayout::kCorrelation, CUpti_ActivityMemcpyPtoP4, correlationId);
PLACE(PeerCopyLayout::kGraph, CUpti_ActivityMemcpyPtoP4, graphId);
PLACE(PeerCopyLayout::kGraphNode, CUpti_ActivityMemcpyPtoP4, graphNodeId);

PLACE(SetLayout::kBytes, CUpti_ActivityMemset4, bytes);
PLACE(SetLayout::kStart, CUpti_ActivityMemset4, start);
PLACE(SetLayout::kEnd, CUpti_ActivityMemset4, end);
PLACE(SetLayout::kDevice, CUpti_ActivityMemset4, deviceId);
PLACE(SetLayout::kContext, CUpti_ActivityMemset4, contextId);
PLACE(SetLayout::kStream, CUpti_ActivityMemset4, streamId);
PLACE(SetLayout::kCorrelation, CUpti_ActivityMemset4, correlationId);
PLACE(SetLayout::kGraph, CUpti_ActivityMemset4, graphId);
PLACE(SetLayout::kGraphNode, CUpti_ActivityMemset4, graphNodeId);

PLACE(CallLayout::kFunction, CUpti_ActivityAPI, cbid);
PLACE(CallLayout::kStart, CUpti_ActivityAPI, start);
PLACE(CallLayout::kEnd, CUpti_ActivityAPI, end);
PLACE(CallLayout::kThread, CUpti_ActivityAPI, threadId);
PLACE(CallLayout::kCorrelation, CUpti_ActivityAPI, correlationId);

PLACE(OverheadLayout::kWhat, CUpti_ActivityOverhead3, overheadKind);
PLACE(OverheadLayout::kObject, CUpti_ActivityOverhead3, objectKind);
PLACE(OverheadLayout::kThread, CUpti_ActivityOverhead3, objectId.pt.threadId);
PLACE(OverheadLayout::kStart, CUpti_ActivityOverhead3, start);
PLACE(OverheadLayout::kEnd, CUpti_ActivityOverhead3, end);
