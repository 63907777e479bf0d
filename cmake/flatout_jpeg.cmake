# flatout_find_jpeg(VARIABLE): what the JPEG decoder links.
#
# Debian's archive of libjpeg-turbo is not position-independent and cannot go into libflatout_data.so. So a relocatable build ships
# the shared library beside it, under a name of its own: a program that has loaded another libjpeg.so.62 (Pillow, torchvision and
# OpenCV bring theirs) neither gives it to us nor gets ours.
function(flatout_find_jpeg result)
  find_library(FLATOUT_JPEG NAMES jpeg REQUIRED)
  if(NOT FLATOUT_RELOCATABLE)
    set(${result} ${FLATOUT_JPEG} PARENT_SCOPE)
    return()
  endif()
  find_program(FLATOUT_PATCHELF patchelf REQUIRED)
  file(REAL_PATH ${FLATOUT_JPEG} shared)
  set(copy ${CMAKE_BINARY_DIR}/lib/libflatout_jpeg.so.0)
  if(NOT EXISTS ${copy} OR ${shared} IS_NEWER_THAN ${copy})
    configure_file(${shared} ${copy} COPYONLY)
    execute_process(COMMAND ${FLATOUT_PATCHELF} --set-soname libflatout_jpeg.so.0 ${copy} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(${result} ${copy} PARENT_SCOPE)
endfunction()
