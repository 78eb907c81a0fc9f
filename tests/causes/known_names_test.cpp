#include "model/causes/known_names.h"

#include <doctest/doctest.h>

using namespace lacuna;

TEST_CASE("freeing calls synchronise, with the version that Nsight Systems writes and without") {
  for (const char* name : {"cudaFree", "cudaFree_v3020", "cuMemFree_v2", "cuMemFree_v2_v2020", "hipFree"})
    CHECK_MESSAGE(is_synchronising_call(name), name);
  for (const char* name : {"cudaFree_v", "cudaFree_v302", "cudaFree_v30x0", "cudaFree_v30Z0", "cudaFreeAsync_v11020"})
    CHECK_MESSAGE(!is_synchronising_call(name), name);
}

TEST_CASE("where copies go") {
  for (const char* name : {"Memcpy DtoD (Device -> Device)", "CopyDeviceToDevice"}) {
    CHECK_MESSAGE(is_on_device(name), name);
    CHECK_MESSAGE(!is_host_to_device(name), name);
  }
  for (const char* name : {"Memcpy HtoD (Pinned -> Device)", "CopyHostToDevice"}) {
    CHECK_MESSAGE(is_host_to_device(name), name);
    CHECK_MESSAGE(!is_on_device(name), name);
  }
}

TEST_CASE("waiting for data is a function of the loader, in the loader's file") {
  CHECK(is_data_loading("torch/utils/data/dataloader.py(628): __next__"));
  CHECK_FALSE(is_data_loading("torch/utils/data/dataloader.py(1): __init__"));
  CHECK_FALSE(is_data_loading("model.py(628): __next__"));
}
